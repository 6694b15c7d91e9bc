define void @kernel_half_product(ptr noalias %data0, ptr noalias %data1, ptr noalias %data2) nounwind {
entry:
  %acc0 = alloca float
  %acc1 = alloca float
  %acc2 = alloca float
  %acc3 = alloca float
  %acc4 = alloca float
  %acc5 = alloca float
  %acc6 = alloca float
  %acc7 = alloca float
  %acc8 = alloca float
  %acc9 = alloca float
  %acc10 = alloca float
  %acc11 = alloca float
  %acc12 = alloca float
  %acc13 = alloca float
  %acc14 = alloca float
  %acc15 = alloca float
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 16
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 256
  br label %test1
test1:
  %ridx1 = phi i32 [ 0, %body0 ], [ %ridx1_next, %latch1 ]
  %alu2 = icmp slt i32 %ridx1, 16
  br i1 %alu2, label %body1, label %done1
body1:
  %alu3 = mul i32 %ridx1, 256
  store float 0x0000000000000000, ptr %acc0
  store float 0x0000000000000000, ptr %acc1
  store float 0x0000000000000000, ptr %acc2
  store float 0x0000000000000000, ptr %acc3
  store float 0x0000000000000000, ptr %acc4
  store float 0x0000000000000000, ptr %acc5
  store float 0x0000000000000000, ptr %acc6
  store float 0x0000000000000000, ptr %acc7
  store float 0x0000000000000000, ptr %acc8
  store float 0x0000000000000000, ptr %acc9
  store float 0x0000000000000000, ptr %acc10
  store float 0x0000000000000000, ptr %acc11
  store float 0x0000000000000000, ptr %acc12
  store float 0x0000000000000000, ptr %acc13
  store float 0x0000000000000000, ptr %acc14
  store float 0x0000000000000000, ptr %acc15
  br label %test2
test2:
  %ridx2 = phi i32 [ 0, %body1 ], [ %ridx2_next, %latch2 ]
  %alu4 = icmp slt i32 %ridx2, 16
  br i1 %alu4, label %body2, label %done2
body2:
  %alu5 = mul i32 %ridx2, 4
  %alu6 = add i32 %alu1, %alu5
  %ptr0 = getelementptr half, ptr %data1, i32 %alu6
  %val0 = load <4 x half>, ptr %ptr0, align 2
  %alu7 = extractelement <4 x half> %val0, i32 0
  %alu8 = add i32 %alu3, %alu5
  %ptr1 = getelementptr half, ptr %data2, i32 %alu8
  %val1 = load <4 x half>, ptr %ptr1, align 2
  %alu9 = extractelement <4 x half> %val1, i32 0
  %alu10 = fmul half %alu7, %alu9
  %cast0 = fpext half %alu10 to float
  %alu11 = extractelement <4 x half> %val0, i32 1
  %alu12 = extractelement <4 x half> %val1, i32 1
  %alu13 = fmul half %alu11, %alu12
  %cast1 = fpext half %alu13 to float
  %alu14 = fadd float %cast0, %cast1
  %alu15 = extractelement <4 x half> %val0, i32 2
  %alu16 = extractelement <4 x half> %val1, i32 2
  %alu17 = fmul half %alu15, %alu16
  %cast2 = fpext half %alu17 to float
  %alu18 = fadd float %alu14, %cast2
  %alu19 = extractelement <4 x half> %val0, i32 3
  %alu20 = extractelement <4 x half> %val1, i32 3
  %alu21 = fmul half %alu19, %alu20
  %cast3 = fpext half %alu21 to float
  %alu22 = fadd float %alu18, %cast3
  %alu23 = load float, ptr %acc0
  %alu24 = fadd float %alu23, %alu22
  store float %alu24, ptr %acc0
  %alu25 = add i32 %alu8, 64
  %ptr2 = getelementptr half, ptr %data2, i32 %alu25
  %val2 = load <4 x half>, ptr %ptr2, align 2
  %alu26 = extractelement <4 x half> %val2, i32 0
  %alu27 = fmul half %alu7, %alu26
  %cast4 = fpext half %alu27 to float
  %alu28 = extractelement <4 x half> %val2, i32 1
  %alu29 = fmul half %alu11, %alu28
  %cast5 = fpext half %alu29 to float
  %alu30 = fadd float %cast4, %cast5
  %alu31 = extractelement <4 x half> %val2, i32 2
  %alu32 = fmul half %alu15, %alu31
  %cast6 = fpext half %alu32 to float
  %alu33 = fadd float %alu30, %cast6
  %alu34 = extractelement <4 x half> %val2, i32 3
  %alu35 = fmul half %alu19, %alu34
  %cast7 = fpext half %alu35 to float
  %alu36 = fadd float %alu33, %cast7
  %alu37 = load float, ptr %acc1
  %alu38 = fadd float %alu37, %alu36
  store float %alu38, ptr %acc1
  %alu39 = add i32 %alu8, 128
  %ptr3 = getelementptr half, ptr %data2, i32 %alu39
  %val3 = load <4 x half>, ptr %ptr3, align 2
  %alu40 = extractelement <4 x half> %val3, i32 0
  %alu41 = fmul half %alu7, %alu40
  %cast8 = fpext half %alu41 to float
  %alu42 = extractelement <4 x half> %val3, i32 1
  %alu43 = fmul half %alu11, %alu42
  %cast9 = fpext half %alu43 to float
  %alu44 = fadd float %cast8, %cast9
  %alu45 = extractelement <4 x half> %val3, i32 2
  %alu46 = fmul half %alu15, %alu45
  %cast10 = fpext half %alu46 to float
  %alu47 = fadd float %alu44, %cast10
  %alu48 = extractelement <4 x half> %val3, i32 3
  %alu49 = fmul half %alu19, %alu48
  %cast11 = fpext half %alu49 to float
  %alu50 = fadd float %alu47, %cast11
  %alu51 = load float, ptr %acc2
  %alu52 = fadd float %alu51, %alu50
  store float %alu52, ptr %acc2
  %alu53 = add i32 %alu8, 192
  %ptr4 = getelementptr half, ptr %data2, i32 %alu53
  %val4 = load <4 x half>, ptr %ptr4, align 2
  %alu54 = extractelement <4 x half> %val4, i32 0
  %alu55 = fmul half %alu7, %alu54
  %cast12 = fpext half %alu55 to float
  %alu56 = extractelement <4 x half> %val4, i32 1
  %alu57 = fmul half %alu11, %alu56
  %cast13 = fpext half %alu57 to float
  %alu58 = fadd float %cast12, %cast13
  %alu59 = extractelement <4 x half> %val4, i32 2
  %alu60 = fmul half %alu15, %alu59
  %cast14 = fpext half %alu60 to float
  %alu61 = fadd float %alu58, %cast14
  %alu62 = extractelement <4 x half> %val4, i32 3
  %alu63 = fmul half %alu19, %alu62
  %cast15 = fpext half %alu63 to float
  %alu64 = fadd float %alu61, %cast15
  %alu65 = load float, ptr %acc3
  %alu66 = fadd float %alu65, %alu64
  store float %alu66, ptr %acc3
  %alu67 = add i32 %alu6, 64
  %ptr5 = getelementptr half, ptr %data1, i32 %alu67
  %val5 = load <4 x half>, ptr %ptr5, align 2
  %alu68 = extractelement <4 x half> %val5, i32 0
  %alu69 = fmul half %alu68, %alu9
  %cast16 = fpext half %alu69 to float
  %alu70 = extractelement <4 x half> %val5, i32 1
  %alu71 = fmul half %alu70, %alu12
  %cast17 = fpext half %alu71 to float
  %alu72 = fadd float %cast16, %cast17
  %alu73 = extractelement <4 x half> %val5, i32 2
  %alu74 = fmul half %alu73, %alu16
  %cast18 = fpext half %alu74 to float
  %alu75 = fadd float %alu72, %cast18
  %alu76 = extractelement <4 x half> %val5, i32 3
  %alu77 = fmul half %alu76, %alu20
  %cast19 = fpext half %alu77 to float
  %alu78 = fadd float %alu75, %cast19
  %alu79 = load float, ptr %acc4
  %alu80 = fadd float %alu79, %alu78
  store float %alu80, ptr %acc4
  %alu81 = fmul half %alu68, %alu26
  %cast20 = fpext half %alu81 to float
  %alu82 = fmul half %alu70, %alu28
  %cast21 = fpext half %alu82 to float
  %alu83 = fadd float %cast20, %cast21
  %alu84 = fmul half %alu73, %alu31
  %cast22 = fpext half %alu84 to float
  %alu85 = fadd float %alu83, %cast22
  %alu86 = fmul half %alu76, %alu34
  %cast23 = fpext half %alu86 to float
  %alu87 = fadd float %alu85, %cast23
  %alu88 = load float, ptr %acc5
  %alu89 = fadd float %alu88, %alu87
  store float %alu89, ptr %acc5
  %alu90 = fmul half %alu68, %alu40
  %cast24 = fpext half %alu90 to float
  %alu91 = fmul half %alu70, %alu42
  %cast25 = fpext half %alu91 to float
  %alu92 = fadd float %cast24, %cast25
  %alu93 = fmul half %alu73, %alu45
  %cast26 = fpext half %alu93 to float
  %alu94 = fadd float %alu92, %cast26
  %alu95 = fmul half %alu76, %alu48
  %cast27 = fpext half %alu95 to float
  %alu96 = fadd float %alu94, %cast27
  %alu97 = load float, ptr %acc6
  %alu98 = fadd float %alu97, %alu96
  store float %alu98, ptr %acc6
  %alu99 = fmul half %alu68, %alu54
  %cast28 = fpext half %alu99 to float
  %alu100 = fmul half %alu70, %alu56
  %cast29 = fpext half %alu100 to float
  %alu101 = fadd float %cast28, %cast29
  %alu102 = fmul half %alu73, %alu59
  %cast30 = fpext half %alu102 to float
  %alu103 = fadd float %alu101, %cast30
  %alu104 = fmul half %alu76, %alu62
  %cast31 = fpext half %alu104 to float
  %alu105 = fadd float %alu103, %cast31
  %alu106 = load float, ptr %acc7
  %alu107 = fadd float %alu106, %alu105
  store float %alu107, ptr %acc7
  %alu108 = add i32 %alu6, 128
  %ptr6 = getelementptr half, ptr %data1, i32 %alu108
  %val6 = load <4 x half>, ptr %ptr6, align 2
  %alu109 = extractelement <4 x half> %val6, i32 0
  %alu110 = fmul half %alu109, %alu9
  %cast32 = fpext half %alu110 to float
  %alu111 = extractelement <4 x half> %val6, i32 1
  %alu112 = fmul half %alu111, %alu12
  %cast33 = fpext half %alu112 to float
  %alu113 = fadd float %cast32, %cast33
  %alu114 = extractelement <4 x half> %val6, i32 2
  %alu115 = fmul half %alu114, %alu16
  %cast34 = fpext half %alu115 to float
  %alu116 = fadd float %alu113, %cast34
  %alu117 = extractelement <4 x half> %val6, i32 3
  %alu118 = fmul half %alu117, %alu20
  %cast35 = fpext half %alu118 to float
  %alu119 = fadd float %alu116, %cast35
  %alu120 = load float, ptr %acc8
  %alu121 = fadd float %alu120, %alu119
  store float %alu121, ptr %acc8
  %alu122 = fmul half %alu109, %alu26
  %cast36 = fpext half %alu122 to float
  %alu123 = fmul half %alu111, %alu28
  %cast37 = fpext half %alu123 to float
  %alu124 = fadd float %cast36, %cast37
  %alu125 = fmul half %alu114, %alu31
  %cast38 = fpext half %alu125 to float
  %alu126 = fadd float %alu124, %cast38
  %alu127 = fmul half %alu117, %alu34
  %cast39 = fpext half %alu127 to float
  %alu128 = fadd float %alu126, %cast39
  %alu129 = load float, ptr %acc9
  %alu130 = fadd float %alu129, %alu128
  store float %alu130, ptr %acc9
  %alu131 = fmul half %alu109, %alu40
  %cast40 = fpext half %alu131 to float
  %alu132 = fmul half %alu111, %alu42
  %cast41 = fpext half %alu132 to float
  %alu133 = fadd float %cast40, %cast41
  %alu134 = fmul half %alu114, %alu45
  %cast42 = fpext half %alu134 to float
  %alu135 = fadd float %alu133, %cast42
  %alu136 = fmul half %alu117, %alu48
  %cast43 = fpext half %alu136 to float
  %alu137 = fadd float %alu135, %cast43
  %alu138 = load float, ptr %acc10
  %alu139 = fadd float %alu138, %alu137
  store float %alu139, ptr %acc10
  %alu140 = fmul half %alu109, %alu54
  %cast44 = fpext half %alu140 to float
  %alu141 = fmul half %alu111, %alu56
  %cast45 = fpext half %alu141 to float
  %alu142 = fadd float %cast44, %cast45
  %alu143 = fmul half %alu114, %alu59
  %cast46 = fpext half %alu143 to float
  %alu144 = fadd float %alu142, %cast46
  %alu145 = fmul half %alu117, %alu62
  %cast47 = fpext half %alu145 to float
  %alu146 = fadd float %alu144, %cast47
  %alu147 = load float, ptr %acc11
  %alu148 = fadd float %alu147, %alu146
  store float %alu148, ptr %acc11
  %alu149 = add i32 %alu6, 192
  %ptr7 = getelementptr half, ptr %data1, i32 %alu149
  %val7 = load <4 x half>, ptr %ptr7, align 2
  %alu150 = extractelement <4 x half> %val7, i32 0
  %alu151 = fmul half %alu150, %alu9
  %cast48 = fpext half %alu151 to float
  %alu152 = extractelement <4 x half> %val7, i32 1
  %alu153 = fmul half %alu152, %alu12
  %cast49 = fpext half %alu153 to float
  %alu154 = fadd float %cast48, %cast49
  %alu155 = extractelement <4 x half> %val7, i32 2
  %alu156 = fmul half %alu155, %alu16
  %cast50 = fpext half %alu156 to float
  %alu157 = fadd float %alu154, %cast50
  %alu158 = extractelement <4 x half> %val7, i32 3
  %alu159 = fmul half %alu158, %alu20
  %cast51 = fpext half %alu159 to float
  %alu160 = fadd float %alu157, %cast51
  %alu161 = load float, ptr %acc12
  %alu162 = fadd float %alu161, %alu160
  store float %alu162, ptr %acc12
  %alu163 = fmul half %alu150, %alu26
  %cast52 = fpext half %alu163 to float
  %alu164 = fmul half %alu152, %alu28
  %cast53 = fpext half %alu164 to float
  %alu165 = fadd float %cast52, %cast53
  %alu166 = fmul half %alu155, %alu31
  %cast54 = fpext half %alu166 to float
  %alu167 = fadd float %alu165, %cast54
  %alu168 = fmul half %alu158, %alu34
  %cast55 = fpext half %alu168 to float
  %alu169 = fadd float %alu167, %cast55
  %alu170 = load float, ptr %acc13
  %alu171 = fadd float %alu170, %alu169
  store float %alu171, ptr %acc13
  %alu172 = fmul half %alu150, %alu40
  %cast56 = fpext half %alu172 to float
  %alu173 = fmul half %alu152, %alu42
  %cast57 = fpext half %alu173 to float
  %alu174 = fadd float %cast56, %cast57
  %alu175 = fmul half %alu155, %alu45
  %cast58 = fpext half %alu175 to float
  %alu176 = fadd float %alu174, %cast58
  %alu177 = fmul half %alu158, %alu48
  %cast59 = fpext half %alu177 to float
  %alu178 = fadd float %alu176, %cast59
  %alu179 = load float, ptr %acc14
  %alu180 = fadd float %alu179, %alu178
  store float %alu180, ptr %acc14
  %alu181 = fmul half %alu150, %alu54
  %cast60 = fpext half %alu181 to float
  %alu182 = fmul half %alu152, %alu56
  %cast61 = fpext half %alu182 to float
  %alu183 = fadd float %cast60, %cast61
  %alu184 = fmul half %alu155, %alu59
  %cast62 = fpext half %alu184 to float
  %alu185 = fadd float %alu183, %cast62
  %alu186 = fmul half %alu158, %alu62
  %cast63 = fpext half %alu186 to float
  %alu187 = fadd float %alu185, %cast63
  %alu188 = load float, ptr %acc15
  %alu189 = fadd float %alu188, %alu187
  store float %alu189, ptr %acc15
  br label %latch2
latch2:
  %ridx2_next = add i32 %ridx2, 1
  br label %test2
done2:
  %alu190 = mul i32 %ridx1, 4
  %alu191 = add i32 %alu1, %alu190
  %ptr8 = getelementptr float, ptr %data0, i32 %alu191
  %cast64 = load float, ptr %acc0
  %cast65 = insertelement <4 x float> poison, float %cast64, i32 0
  %cast66 = load float, ptr %acc1
  %cast67 = insertelement <4 x float> %cast65, float %cast66, i32 1
  %cast68 = load float, ptr %acc2
  %cast69 = insertelement <4 x float> %cast67, float %cast68, i32 2
  %cast70 = load float, ptr %acc3
  %cast71 = insertelement <4 x float> %cast69, float %cast70, i32 3
  store <4 x float> %cast71, ptr %ptr8, align 4
  %alu192 = add i32 %alu191, 64
  %ptr9 = getelementptr float, ptr %data0, i32 %alu192
  %cast72 = load float, ptr %acc4
  %cast73 = insertelement <4 x float> poison, float %cast72, i32 0
  %cast74 = load float, ptr %acc5
  %cast75 = insertelement <4 x float> %cast73, float %cast74, i32 1
  %cast76 = load float, ptr %acc6
  %cast77 = insertelement <4 x float> %cast75, float %cast76, i32 2
  %cast78 = load float, ptr %acc7
  %cast79 = insertelement <4 x float> %cast77, float %cast78, i32 3
  store <4 x float> %cast79, ptr %ptr9, align 4
  %alu193 = add i32 %alu191, 128
  %ptr10 = getelementptr float, ptr %data0, i32 %alu193
  %cast80 = load float, ptr %acc8
  %cast81 = insertelement <4 x float> poison, float %cast80, i32 0
  %cast82 = load float, ptr %acc9
  %cast83 = insertelement <4 x float> %cast81, float %cast82, i32 1
  %cast84 = load float, ptr %acc10
  %cast85 = insertelement <4 x float> %cast83, float %cast84, i32 2
  %cast86 = load float, ptr %acc11
  %cast87 = insertelement <4 x float> %cast85, float %cast86, i32 3
  store <4 x float> %cast87, ptr %ptr10, align 4
  %alu194 = add i32 %alu191, 192
  %ptr11 = getelementptr float, ptr %data0, i32 %alu194
  %cast88 = load float, ptr %acc12
  %cast89 = insertelement <4 x float> poison, float %cast88, i32 0
  %cast90 = load float, ptr %acc13
  %cast91 = insertelement <4 x float> %cast89, float %cast90, i32 1
  %cast92 = load float, ptr %acc14
  %cast93 = insertelement <4 x float> %cast91, float %cast92, i32 2
  %cast94 = load float, ptr %acc15
  %cast95 = insertelement <4 x float> %cast93, float %cast94, i32 3
  store <4 x float> %cast95, ptr %ptr11, align 4
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
