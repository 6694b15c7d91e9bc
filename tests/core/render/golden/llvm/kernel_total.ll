define void @kernel_total(ptr noalias %data0, ptr noalias %data1) nounwind {
entry:
  %acc0 = alloca float
  store float 0x0000000000000000, ptr %acc0
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 1024
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 4
  %ptr0 = getelementptr float, ptr %data1, i32 %alu1
  %val0 = load <4 x float>, ptr %ptr0, align 4
  %alu2 = extractelement <4 x float> %val0, i32 0
  %alu3 = extractelement <4 x float> %val0, i32 1
  %alu4 = fadd float %alu2, %alu3
  %alu5 = extractelement <4 x float> %val0, i32 2
  %alu6 = fadd float %alu4, %alu5
  %alu7 = extractelement <4 x float> %val0, i32 3
  %alu8 = fadd float %alu6, %alu7
  %alu9 = load float, ptr %acc0
  %alu10 = fadd float %alu9, %alu8
  store float %alu10, ptr %acc0
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  %ptr1 = getelementptr float, ptr %data0, i32 0
  %alu11 = load float, ptr %acc0
  store float %alu11, ptr %ptr1, align 4
  ret void
}
