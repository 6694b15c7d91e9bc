define internal half @double_to_half(double %x) alwaysinline nounwind {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %inexact = fcmp one double %back, %x
  %magnitude = call double @llvm.fabs.f64(double %x)
  %rounded = call double @llvm.fabs.f64(double %back)
  %above = fcmp ogt double %rounded, %magnitude
  %bits = bitcast float %near to i32
  %one = select i1 %above, i32 1, i32 0
  %below = sub i32 %bits, %one
  %last = zext i1 %inexact to i32
  %odd = or i32 %below, %last
  %single = bitcast i32 %odd to float
  %half = fptrunc float %single to half
  ret half %half
}
declare double @llvm.fabs.f64(double)
define void @convert(ptr noalias %data0, ptr noalias %data1) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 8
  br i1 %alu0, label %body0, label %done0
body0:
  %ptr0 = getelementptr float, ptr %data0, i32 %ridx0
  %ptr1 = getelementptr double, ptr %data1, i32 %ridx0
  %val0 = load double, ptr %ptr1, align 8
  %cast0 = call half @double_to_half(double %val0)
  %cast1 = fpext half %cast0 to float
  %cast2 = fptosi double %val0 to i32
  %cast3 = freeze i32 %cast2
  %cast4 = trunc i32 %cast3 to i8
  %cast5 = uitofp i8 %cast4 to float
  %alu1 = fadd float %cast1, %cast5
  %cast6 = fptosi double %val0 to i64
  %cast7 = freeze i64 %cast6
  %cast8 = trunc i64 %cast7 to i32
  %cast9 = uitofp i32 %cast8 to float
  %cast10 = fcmp une double %val0, 0x0000000000000000
  %cast11 = uitofp i1 %cast10 to float
  %alu2 = fadd float %cast9, %cast11
  %alu3 = fadd float %alu1, %alu2
  store float %alu3, ptr %ptr0, align 4
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
