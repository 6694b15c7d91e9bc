define void @kernel_padded(ptr noalias %data0, ptr noalias %data1) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 16
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 8
  %alu2 = mul i32 %ridx0, 7
  %alu3 = icmp slt i32 %ridx0, 1
  %alu4 = xor i1 %alu3, true
  %alu5 = icmp slt i32 %ridx0, 14
  %alu6 = and i1 %alu4, %alu5
  br label %test1
test1:
  %ridx1 = phi i32 [ 0, %body0 ], [ %ridx1_next, %latch1 ]
  %alu7 = icmp slt i32 %ridx1, 2
  br i1 %alu7, label %body1, label %done1
body1:
  %alu8 = mul i32 %ridx1, 4
  %alu9 = add i32 %alu1, %alu8
  %ptr0 = getelementptr float, ptr %data0, i32 %alu9
  %alu10 = add i32 %alu2, %alu8
  %alu11 = add i32 %alu10, -7
  %ptr1 = getelementptr float, ptr %data1, i32 %alu11
  br i1 %alu6, label %load0, label %endload0
load0:
  %val0 = load float, ptr %ptr1, align 4
  br label %endload0
endload0:
  %val1 = phi float [ %val0, %load0 ], [ 0x0000000000000000, %body1 ]
  %alu12 = fadd float %val1, 0x3FF0000000000000
  %alu13 = add i32 %alu10, -6
  %ptr2 = getelementptr float, ptr %data1, i32 %alu13
  br i1 %alu6, label %load1, label %endload1
load1:
  %val2 = load float, ptr %ptr2, align 4
  br label %endload1
endload1:
  %val3 = phi float [ %val2, %load1 ], [ 0x0000000000000000, %endload0 ]
  %alu14 = fadd float %val3, 0x3FF0000000000000
  %alu15 = add i32 %alu10, -5
  %ptr3 = getelementptr float, ptr %data1, i32 %alu15
  br i1 %alu6, label %load2, label %endload2
load2:
  %val4 = load float, ptr %ptr3, align 4
  br label %endload2
endload2:
  %val5 = phi float [ %val4, %load2 ], [ 0x0000000000000000, %endload1 ]
  %alu16 = fadd float %val5, 0x3FF0000000000000
  %alu17 = add i32 %alu10, -4
  %ptr4 = getelementptr float, ptr %data1, i32 %alu17
  %alu18 = icmp slt i32 %ridx1, 1
  %alu19 = and i1 %alu6, %alu18
  br i1 %alu19, label %load3, label %endload3
load3:
  %val6 = load float, ptr %ptr4, align 4
  br label %endload3
endload3:
  %val7 = phi float [ %val6, %load3 ], [ 0x0000000000000000, %endload2 ]
  %alu20 = fadd float %val7, 0x3FF0000000000000
  %cast0 = insertelement <4 x float> poison, float %alu12, i32 0
  %cast1 = insertelement <4 x float> %cast0, float %alu14, i32 1
  %cast2 = insertelement <4 x float> %cast1, float %alu16, i32 2
  %cast3 = insertelement <4 x float> %cast2, float %alu20, i32 3
  store <4 x float> %cast3, ptr %ptr0, align 4
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
