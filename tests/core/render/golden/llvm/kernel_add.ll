define void @kernel_add(ptr noalias %data0, ptr noalias %data1, ptr noalias %data2) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 256
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 4
  %ptr0 = getelementptr float, ptr %data0, i32 %alu1
  %ptr1 = getelementptr float, ptr %data1, i32 %alu1
  %val0 = load <4 x float>, ptr %ptr1, align 4
  %alu2 = extractelement <4 x float> %val0, i32 0
  %ptr2 = getelementptr float, ptr %data2, i32 %alu1
  %val1 = load <4 x float>, ptr %ptr2, align 4
  %alu3 = extractelement <4 x float> %val1, i32 0
  %alu4 = fadd float %alu2, %alu3
  %alu5 = extractelement <4 x float> %val0, i32 1
  %alu6 = extractelement <4 x float> %val1, i32 1
  %alu7 = fadd float %alu5, %alu6
  %alu8 = extractelement <4 x float> %val0, i32 2
  %alu9 = extractelement <4 x float> %val1, i32 2
  %alu10 = fadd float %alu8, %alu9
  %alu11 = extractelement <4 x float> %val0, i32 3
  %alu12 = extractelement <4 x float> %val1, i32 3
  %alu13 = fadd float %alu11, %alu12
  %cast0 = insertelement <4 x float> poison, float %alu4, i32 0
  %cast1 = insertelement <4 x float> %cast0, float %alu7, i32 1
  %cast2 = insertelement <4 x float> %cast1, float %alu10, i32 2
  %cast3 = insertelement <4 x float> %cast2, float %alu13, i32 3
  store <4 x float> %cast3, ptr %ptr0, align 4
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
