define void @kernel_convolution(ptr noalias %data0, ptr noalias %data1, ptr noalias %data2) nounwind {
entry:
  %acc0 = alloca float
  %acc1 = alloca float
  %acc2 = alloca float
  %acc3 = alloca float
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 8
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 256
  %alu2 = mul i32 %ridx0, 36
  br label %test1
test1:
  %ridx1 = phi i32 [ 0, %body0 ], [ %ridx1_next, %latch1 ]
  %alu3 = icmp slt i32 %ridx1, 16
  br i1 %alu3, label %body1, label %done1
body1:
  %alu4 = mul i32 %ridx1, 16
  %alu5 = add i32 %alu1, %alu4
  %alu6 = icmp slt i32 %ridx1, 1
  %alu7 = xor i1 %alu6, true
  %alu8 = icmp slt i32 %ridx1, 15
  br label %test2
test2:
  %ridx2 = phi i32 [ 0, %body1 ], [ %ridx2_next, %latch2 ]
  %alu9 = icmp slt i32 %ridx2, 4
  br i1 %alu9, label %body2, label %done2
body2:
  %alu10 = mul i32 %ridx2, 4
  %alu11 = icmp slt i32 %ridx2, 1
  %alu12 = xor i1 %alu11, true
  %alu13 = and i1 %alu7, %alu12
  %alu14 = and i1 %alu8, %alu12
  %alu15 = icmp slt i32 %ridx2, 3
  %alu16 = and i1 %alu7, %alu15
  %alu17 = and i1 %alu8, %alu15
  store float 0x0000000000000000, ptr %acc0
  store float 0x0000000000000000, ptr %acc1
  store float 0x0000000000000000, ptr %acc2
  store float 0x0000000000000000, ptr %acc3
  br label %test3
test3:
  %ridx3 = phi i32 [ 0, %body2 ], [ %ridx3_next, %latch3 ]
  %alu18 = icmp slt i32 %ridx3, 4
  br i1 %alu18, label %body3, label %done3
body3:
  %alu19 = mul i32 %ridx3, 256
  %alu20 = add i32 %alu19, %alu4
  %alu21 = add i32 %alu20, %alu10
  %alu22 = add i32 %alu21, -17
  %ptr0 = getelementptr float, ptr %data1, i32 %alu22
  br i1 %alu13, label %load0, label %endload0
load0:
  %val0 = load float, ptr %ptr0, align 4
  br label %endload0
endload0:
  %val1 = phi float [ %val0, %load0 ], [ 0x0000000000000000, %body3 ]
  %alu23 = mul i32 %ridx3, 9
  %alu24 = add i32 %alu2, %alu23
  %ptr1 = getelementptr float, ptr %data2, i32 %alu24
  %val2 = load float, ptr %ptr1, align 4
  %alu25 = fmul float %val1, %val2
  %alu26 = add i32 %alu21, -1
  %ptr2 = getelementptr float, ptr %data1, i32 %alu26
  br i1 %alu12, label %load1, label %endload1
load1:
  %val3 = load float, ptr %ptr2, align 4
  br label %endload1
endload1:
  %val4 = phi float [ %val3, %load1 ], [ 0x0000000000000000, %endload0 ]
  %alu27 = add i32 %alu24, 3
  %ptr3 = getelementptr float, ptr %data2, i32 %alu27
  %val5 = load float, ptr %ptr3, align 4
  %alu28 = fmul float %val4, %val5
  %alu29 = fadd float %alu25, %alu28
  %alu30 = add i32 %alu21, 15
  %ptr4 = getelementptr float, ptr %data1, i32 %alu30
  br i1 %alu14, label %load2, label %endload2
load2:
  %val6 = load float, ptr %ptr4, align 4
  br label %endload2
endload2:
  %val7 = phi float [ %val6, %load2 ], [ 0x0000000000000000, %endload1 ]
  %alu31 = add i32 %alu24, 6
  %ptr5 = getelementptr float, ptr %data2, i32 %alu31
  %val8 = load float, ptr %ptr5, align 4
  %alu32 = fmul float %val7, %val8
  %alu33 = fadd float %alu29, %alu32
  %alu34 = add i32 %alu21, -16
  %ptr6 = getelementptr float, ptr %data1, i32 %alu34
  br i1 %alu7, label %load3, label %endload3
load3:
  %val9 = load <4 x float>, ptr %ptr6, align 4
  br label %endload3
endload3:
  %val10 = phi <4 x float> [ %val9, %load3 ], [ <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, %endload2 ]
  %alu35 = extractelement <4 x float> %val10, i32 0
  %alu36 = add i32 %alu24, 1
  %ptr7 = getelementptr float, ptr %data2, i32 %alu36
  %val11 = load float, ptr %ptr7, align 4
  %alu37 = fmul float %alu35, %val11
  %alu38 = fadd float %alu33, %alu37
  %ptr8 = getelementptr float, ptr %data1, i32 %alu21
  %val12 = load <4 x float>, ptr %ptr8, align 4
  %alu39 = extractelement <4 x float> %val12, i32 0
  %alu40 = add i32 %alu24, 4
  %ptr9 = getelementptr float, ptr %data2, i32 %alu40
  %val13 = load float, ptr %ptr9, align 4
  %alu41 = fmul float %alu39, %val13
  %alu42 = fadd float %alu38, %alu41
  %alu43 = add i32 %alu21, 16
  %ptr10 = getelementptr float, ptr %data1, i32 %alu43
  br i1 %alu8, label %load4, label %endload4
load4:
  %val14 = load <4 x float>, ptr %ptr10, align 4
  br label %endload4
endload4:
  %val15 = phi <4 x float> [ %val14, %load4 ], [ <float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000>, %endload3 ]
  %alu44 = extractelement <4 x float> %val15, i32 0
  %alu45 = add i32 %alu24, 7
  %ptr11 = getelementptr float, ptr %data2, i32 %alu45
  %val16 = load float, ptr %ptr11, align 4
  %alu46 = fmul float %alu44, %val16
  %alu47 = fadd float %alu42, %alu46
  %alu48 = extractelement <4 x float> %val10, i32 1
  %alu49 = add i32 %alu24, 2
  %ptr12 = getelementptr float, ptr %data2, i32 %alu49
  %val17 = load float, ptr %ptr12, align 4
  %alu50 = fmul float %alu48, %val17
  %alu51 = fadd float %alu47, %alu50
  %alu52 = extractelement <4 x float> %val12, i32 1
  %alu53 = add i32 %alu24, 5
  %ptr13 = getelementptr float, ptr %data2, i32 %alu53
  %val18 = load float, ptr %ptr13, align 4
  %alu54 = fmul float %alu52, %val18
  %alu55 = fadd float %alu51, %alu54
  %alu56 = extractelement <4 x float> %val15, i32 1
  %alu57 = add i32 %alu24, 8
  %ptr14 = getelementptr float, ptr %data2, i32 %alu57
  %val19 = load float, ptr %ptr14, align 4
  %alu58 = fmul float %alu56, %val19
  %alu59 = fadd float %alu55, %alu58
  %alu60 = load float, ptr %acc0
  %alu61 = fadd float %alu60, %alu59
  store float %alu61, ptr %acc0
  %alu62 = fmul float %alu35, %val2
  %alu63 = fmul float %alu39, %val5
  %alu64 = fadd float %alu62, %alu63
  %alu65 = fmul float %alu44, %val8
  %alu66 = fadd float %alu64, %alu65
  %alu67 = fmul float %alu48, %val11
  %alu68 = fadd float %alu66, %alu67
  %alu69 = fmul float %alu52, %val13
  %alu70 = fadd float %alu68, %alu69
  %alu71 = fmul float %alu56, %val16
  %alu72 = fadd float %alu70, %alu71
  %alu73 = extractelement <4 x float> %val10, i32 2
  %alu74 = fmul float %alu73, %val17
  %alu75 = fadd float %alu72, %alu74
  %alu76 = extractelement <4 x float> %val12, i32 2
  %alu77 = fmul float %alu76, %val18
  %alu78 = fadd float %alu75, %alu77
  %alu79 = extractelement <4 x float> %val15, i32 2
  %alu80 = fmul float %alu79, %val19
  %alu81 = fadd float %alu78, %alu80
  %alu82 = load float, ptr %acc1
  %alu83 = fadd float %alu82, %alu81
  store float %alu83, ptr %acc1
  %alu84 = fmul float %alu48, %val2
  %alu85 = fmul float %alu52, %val5
  %alu86 = fadd float %alu84, %alu85
  %alu87 = fmul float %alu56, %val8
  %alu88 = fadd float %alu86, %alu87
  %alu89 = fmul float %alu73, %val11
  %alu90 = fadd float %alu88, %alu89
  %alu91 = fmul float %alu76, %val13
  %alu92 = fadd float %alu90, %alu91
  %alu93 = fmul float %alu79, %val16
  %alu94 = fadd float %alu92, %alu93
  %alu95 = extractelement <4 x float> %val10, i32 3
  %alu96 = fmul float %alu95, %val17
  %alu97 = fadd float %alu94, %alu96
  %alu98 = extractelement <4 x float> %val12, i32 3
  %alu99 = fmul float %alu98, %val18
  %alu100 = fadd float %alu97, %alu99
  %alu101 = extractelement <4 x float> %val15, i32 3
  %alu102 = fmul float %alu101, %val19
  %alu103 = fadd float %alu100, %alu102
  %alu104 = load float, ptr %acc2
  %alu105 = fadd float %alu104, %alu103
  store float %alu105, ptr %acc2
  %alu106 = fmul float %alu73, %val2
  %alu107 = fmul float %alu76, %val5
  %alu108 = fadd float %alu106, %alu107
  %alu109 = fmul float %alu79, %val8
  %alu110 = fadd float %alu108, %alu109
  %alu111 = fmul float %alu95, %val11
  %alu112 = fadd float %alu110, %alu111
  %alu113 = fmul float %alu98, %val13
  %alu114 = fadd float %alu112, %alu113
  %alu115 = fmul float %alu101, %val16
  %alu116 = fadd float %alu114, %alu115
  %alu117 = add i32 %alu21, -12
  %ptr15 = getelementptr float, ptr %data1, i32 %alu117
  br i1 %alu16, label %load5, label %endload5
load5:
  %val20 = load float, ptr %ptr15, align 4
  br label %endload5
endload5:
  %val21 = phi float [ %val20, %load5 ], [ 0x0000000000000000, %endload4 ]
  %alu118 = fmul float %val21, %val17
  %alu119 = fadd float %alu116, %alu118
  %alu120 = add i32 %alu21, 4
  %ptr16 = getelementptr float, ptr %data1, i32 %alu120
  br i1 %alu15, label %load6, label %endload6
load6:
  %val22 = load float, ptr %ptr16, align 4
  br label %endload6
endload6:
  %val23 = phi float [ %val22, %load6 ], [ 0x0000000000000000, %endload5 ]
  %alu121 = fmul float %val23, %val18
  %alu122 = fadd float %alu119, %alu121
  %alu123 = add i32 %alu21, 20
  %ptr17 = getelementptr float, ptr %data1, i32 %alu123
  br i1 %alu17, label %load7, label %endload7
load7:
  %val24 = load float, ptr %ptr17, align 4
  br label %endload7
endload7:
  %val25 = phi float [ %val24, %load7 ], [ 0x0000000000000000, %endload6 ]
  %alu124 = fmul float %val25, %val19
  %alu125 = fadd float %alu122, %alu124
  %alu126 = load float, ptr %acc3
  %alu127 = fadd float %alu126, %alu125
  store float %alu127, ptr %acc3
  br label %latch3
latch3:
  %ridx3_next = add i32 %ridx3, 1
  br label %test3
done3:
  %alu128 = add i32 %alu5, %alu10
  %ptr18 = getelementptr float, ptr %data0, i32 %alu128
  %alu129 = load float, ptr %acc0
  %alu130 = fcmp olt float %alu129, 0x0000000000000000
  %alu131 = select i1 %alu130, float 0x0000000000000000, float %alu129
  %alu132 = load float, ptr %acc1
  %alu133 = fcmp olt float %alu132, 0x0000000000000000
  %alu134 = select i1 %alu133, float 0x0000000000000000, float %alu132
  %alu135 = load float, ptr %acc2
  %alu136 = fcmp olt float %alu135, 0x0000000000000000
  %alu137 = select i1 %alu136, float 0x0000000000000000, float %alu135
  %alu138 = load float, ptr %acc3
  %alu139 = fcmp olt float %alu138, 0x0000000000000000
  %alu140 = select i1 %alu139, float 0x0000000000000000, float %alu138
  %cast0 = insertelement <4 x float> poison, float %alu131, i32 0
  %cast1 = insertelement <4 x float> %cast0, float %alu134, i32 1
  %cast2 = insertelement <4 x float> %cast1, float %alu137, i32 2
  %cast3 = insertelement <4 x float> %cast2, float %alu140, i32 3
  store <4 x float> %cast3, ptr %ptr18, align 4
  br label %latch2
latch2:
  %ridx2_next = add i32 %ridx2, 1
  br label %test2
done2:
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
