define void @kernel_variable_length(ptr noalias %data0, ptr noalias %data1, i32 %n) nounwind {
entry:
  %acc0 = alloca float
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 16
  br i1 %alu0, label %body0, label %done0
body0:
  store float 0x0000000000000000, ptr %acc0
  br label %test1
test1:
  %ridx1 = phi i32 [ 0, %body0 ], [ %ridx1_next, %latch1 ]
  %alu1 = icmp slt i32 %ridx1, %n
  br i1 %alu1, label %body1, label %done1
body1:
  %alu2 = mul i32 %ridx1, 16
  %alu3 = add i32 %alu2, %ridx0
  %ptr0 = getelementptr float, ptr %data1, i32 %alu3
  %val0 = load float, ptr %ptr0, align 4
  %alu4 = load float, ptr %acc0
  %alu5 = fadd float %alu4, %val0
  store float %alu5, ptr %acc0
  br label %latch1
latch1:
  %ridx1_next = add i32 %ridx1, 1
  br label %test1
done1:
  %ptr1 = getelementptr float, ptr %data0, i32 %ridx0
  %alu6 = load float, ptr %acc0
  store float %alu6, ptr %ptr1, align 4
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
