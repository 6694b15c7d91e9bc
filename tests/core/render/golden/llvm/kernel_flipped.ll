define void @kernel_flipped(ptr noalias %data0, ptr noalias %data1) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 60
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 4
  %ptr0 = getelementptr float, ptr %data0, i32 %alu1
  %alu2 = mul i32 %ridx0, -4
  %alu3 = add i32 %alu2, 236
  %ptr1 = getelementptr float, ptr %data1, i32 %alu3
  %val0 = load <4 x float>, ptr %ptr1, align 4
  %alu4 = extractelement <4 x float> %val0, i32 3
  %alu5 = extractelement <4 x float> %val0, i32 2
  %alu6 = extractelement <4 x float> %val0, i32 1
  %alu7 = extractelement <4 x float> %val0, i32 0
  %cast0 = insertelement <4 x float> poison, float %alu4, i32 0
  %cast1 = insertelement <4 x float> %cast0, float %alu5, i32 1
  %cast2 = insertelement <4 x float> %cast1, float %alu6, i32 2
  %cast3 = insertelement <4 x float> %cast2, float %alu7, i32 3
  store <4 x float> %cast3, ptr %ptr0, align 4
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
