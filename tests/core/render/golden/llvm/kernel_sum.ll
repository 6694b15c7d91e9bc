define void @kernel_sum(ptr noalias %data0, ptr noalias %data1) nounwind {
entry:
  %acc0 = alloca float
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 64
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 1024
  store float 0x0000000000000000, ptr %acc0
  br label %test1
test1:
  %ridx1 = phi i32 [ 0, %body0 ], [ %ridx1_next, %latch1 ]
  %alu2 = icmp slt i32 %ridx1, 256
  br i1 %alu2, label %body1, label %done1
body1:
  %alu3 = mul i32 %ridx1, 4
  %alu4 = add i32 %alu1, %alu3
  %ptr0 = getelementptr float, ptr %data1, i32 %alu4
  %val0 = load <4 x float>, ptr %ptr0, align 4
  %alu5 = extractelement <4 x float> %val0, i32 0
  %alu6 = extractelement <4 x float> %val0, i32 1
  %alu7 = fadd float %alu5, %alu6
  %alu8 = extractelement <4 x float> %val0, i32 2
  %alu9 = fadd float %alu7, %alu8
  %alu10 = extractelement <4 x float> %val0, i32 3
  %alu11 = fadd float %alu9, %alu10
  %alu12 = load float, ptr %acc0
  %alu13 = fadd float %alu12, %alu11
  store float %alu13, ptr %acc0
  br label %latch1
latch1:
  %ridx1_next = add i32 %ridx1, 1
  br label %test1
done1:
  %ptr1 = getelementptr float, ptr %data0, i32 %ridx0
  %alu14 = load float, ptr %acc0
  store float %alu14, ptr %ptr1, align 4
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
