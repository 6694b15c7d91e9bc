declare float @llvm.exp2.f32(float)
declare float @llvm.sin.f32(float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.log2.f32(float)
define void @transcendental(ptr noalias %data0, ptr noalias %data1) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 8
  br i1 %alu0, label %body0, label %done0
body0:
  %ptr0 = getelementptr float, ptr %data0, i32 %ridx0
  %ptr1 = getelementptr float, ptr %data1, i32 %ridx0
  %val0 = load float, ptr %ptr1, align 4
  %alu1 = fmul float %val0, 0xBFF7154760000000
  %alu2 = call float @llvm.exp2.f32(float %alu1)
  %alu3 = fadd float %alu2, 0x3FF0000000000000
  %alu4 = fdiv float 0x3FF0000000000000, %alu3
  %alu5 = call float @llvm.sin.f32(float %val0)
  %alu6 = fmul float %alu4, %alu5
  %alu7 = call float @llvm.sqrt.f32(float %val0)
  %alu8 = call float @llvm.log2.f32(float %alu7)
  %alu9 = fadd float %alu6, %alu8
  store float %alu9, ptr %ptr0, align 4
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
