declare float @llvm.exp2.f32(float)
define void @kernel_softmax_part(ptr noalias %data0, ptr noalias %data1, ptr noalias %data2) nounwind {
entry:
  %acc0 = alloca float
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 32
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 128
  %ptr0 = getelementptr float, ptr %data2, i32 %ridx0
  %val0 = load float, ptr %ptr0, align 4
  store float 0x0000000000000000, ptr %acc0
  br label %test1
test1:
  %ridx1 = phi i32 [ 0, %body0 ], [ %ridx1_next, %latch1 ]
  %alu2 = icmp slt i32 %ridx1, 32
  br i1 %alu2, label %body1, label %done1
body1:
  %alu3 = mul i32 %ridx1, 4
  %alu4 = add i32 %alu1, %alu3
  %ptr1 = getelementptr float, ptr %data1, i32 %alu4
  %val1 = load <4 x float>, ptr %ptr1, align 4
  %alu5 = extractelement <4 x float> %val1, i32 0
  %alu6 = fsub float %alu5, %val0
  %alu7 = fmul float %alu6, 0x3FF7154760000000
  %alu8 = call float @llvm.exp2.f32(float %alu7)
  %alu9 = extractelement <4 x float> %val1, i32 1
  %alu10 = fsub float %alu9, %val0
  %alu11 = fmul float %alu10, 0x3FF7154760000000
  %alu12 = call float @llvm.exp2.f32(float %alu11)
  %alu13 = fadd float %alu8, %alu12
  %alu14 = extractelement <4 x float> %val1, i32 2
  %alu15 = fsub float %alu14, %val0
  %alu16 = fmul float %alu15, 0x3FF7154760000000
  %alu17 = call float @llvm.exp2.f32(float %alu16)
  %alu18 = fadd float %alu13, %alu17
  %alu19 = extractelement <4 x float> %val1, i32 3
  %alu20 = fsub float %alu19, %val0
  %alu21 = fmul float %alu20, 0x3FF7154760000000
  %alu22 = call float @llvm.exp2.f32(float %alu21)
  %alu23 = fadd float %alu18, %alu22
  %alu24 = load float, ptr %acc0
  %alu25 = fadd float %alu24, %alu23
  store float %alu25, ptr %acc0
  br label %latch1
latch1:
  %ridx1_next = add i32 %ridx1, 1
  br label %test1
done1:
  %ptr2 = getelementptr float, ptr %data0, i32 %ridx0
  %alu26 = load float, ptr %acc0
  store float %alu26, ptr %ptr2, align 4
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
