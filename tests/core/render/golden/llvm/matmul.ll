define void @matmul(ptr noalias %data0, ptr noalias %data1, ptr noalias %data2) nounwind {
entry:
  %acc0 = alloca float
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 16
  br i1 %alu0, label %body0, label %done0
body0:
  br label %test1
test1:
  %ridx1 = phi i32 [ 0, %body0 ], [ %ridx1_next, %latch1 ]
  %alu1 = icmp slt i32 %ridx1, 8
  br i1 %alu1, label %body1, label %done1
body1:
  store float 0x0000000000000000, ptr %acc0
  br label %test2
test2:
  %ridx2 = phi i32 [ 0, %body1 ], [ %ridx2_next, %latch2 ]
  %alu2 = icmp slt i32 %ridx2, 32
  br i1 %alu2, label %body2, label %done2
body2:
  %alu3 = mul i32 %ridx0, 32
  %alu4 = add i32 %alu3, %ridx2
  %ptr0 = getelementptr float, ptr %data1, i32 %alu4
  %val0 = load float, ptr %ptr0, align 4
  %alu5 = mul i32 %ridx2, 8
  %alu6 = add i32 %alu5, %ridx1
  %ptr1 = getelementptr float, ptr %data2, i32 %alu6
  %val1 = load float, ptr %ptr1, align 4
  %alu7 = fmul float %val0, %val1
  %alu8 = load float, ptr %acc0
  %alu9 = fadd float %alu8, %alu7
  store float %alu9, ptr %acc0
  br label %latch2
latch2:
  %ridx2_next = add i32 %ridx2, 1
  br label %test2
done2:
  %alu10 = mul i32 %ridx0, 8
  %alu11 = add i32 %alu10, %ridx1
  %ptr2 = getelementptr float, ptr %data0, i32 %alu11
  %alu12 = load float, ptr %acc0
  store float %alu12, ptr %ptr2, align 4
  br label %latch1
latch1:
  %ridx1_next = add i32 %ridx1, 1
  br label %test1
done1:
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
