define void @greatest(ptr noalias %data0, ptr noalias %data1) nounwind {
entry:
  %acc0 = alloca float
  store float 0xFFF0000000000000, ptr %acc0
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 100
  br i1 %alu0, label %body0, label %done0
body0:
  %ptr0 = getelementptr float, ptr %data1, i32 %ridx0
  %val0 = load float, ptr %ptr0, align 4
  %alu1 = load float, ptr %acc0
  %alu2 = fcmp olt float %alu1, %val0
  %alu3 = select i1 %alu2, float %val0, float %alu1
  store float %alu3, ptr %acc0
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  %ptr1 = getelementptr float, ptr %data0, i32 0
  %alu4 = load float, ptr %acc0
  store float %alu4, ptr %ptr1, align 4
  ret void
}
