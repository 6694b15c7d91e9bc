define void @kernel_halves(ptr noalias %data0, ptr noalias %data1, ptr noalias %data2) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 128
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 4
  %ptr0 = getelementptr half, ptr %data0, i32 %alu1
  %ptr1 = getelementptr half, ptr %data1, i32 %alu1
  %val0 = load <4 x half>, ptr %ptr1, align 2
  %alu2 = extractelement <4 x half> %val0, i32 0
  %alu3 = fmul half %alu2, 0xH4000
  %ptr2 = getelementptr half, ptr %data2, i32 %alu1
  %val1 = load <4 x half>, ptr %ptr2, align 2
  %alu4 = extractelement <4 x half> %val1, i32 0
  %alu5 = fadd half %alu3, %alu4
  %alu6 = extractelement <4 x half> %val0, i32 1
  %alu7 = fmul half %alu6, 0xH4000
  %alu8 = extractelement <4 x half> %val1, i32 1
  %alu9 = fadd half %alu7, %alu8
  %alu10 = extractelement <4 x half> %val0, i32 2
  %alu11 = fmul half %alu10, 0xH4000
  %alu12 = extractelement <4 x half> %val1, i32 2
  %alu13 = fadd half %alu11, %alu12
  %alu14 = extractelement <4 x half> %val0, i32 3
  %alu15 = fmul half %alu14, 0xH4000
  %alu16 = extractelement <4 x half> %val1, i32 3
  %alu17 = fadd half %alu15, %alu16
  %cast0 = insertelement <4 x half> poison, half %alu5, i32 0
  %cast1 = insertelement <4 x half> %cast0, half %alu9, i32 1
  %cast2 = insertelement <4 x half> %cast1, half %alu13, i32 2
  %cast3 = insertelement <4 x half> %cast2, half %alu17, i32 3
  store <4 x half> %cast3, ptr %ptr0, align 2
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
