define void @kernel_divide(ptr noalias %data0, ptr noalias %data1, ptr noalias %data2) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 25
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 4
  %ptr0 = getelementptr i32, ptr %data0, i32 %alu1
  %ptr1 = getelementptr i32, ptr %data1, i32 %alu1
  %val0 = load <4 x i32>, ptr %ptr1, align 4
  %alu2 = extractelement <4 x i32> %val0, i32 0
  %ptr2 = getelementptr i32, ptr %data2, i32 %alu1
  %val1 = load <4 x i32>, ptr %ptr2, align 4
  %alu3 = extractelement <4 x i32> %val1, i32 0
  %alu4 = icmp eq i32 %alu3, 0
  %alu5 = icmp eq i32 %alu3, -1
  %alu6 = select i1 %alu4, i32 1, i32 %alu3
  %alu7 = select i1 %alu5, i32 1, i32 %alu6
  %alu8 = sdiv i32 %alu2, %alu7
  %alu9 = sub i32 0, %alu2
  %alu10 = select i1 %alu5, i32 %alu9, i32 %alu8
  %alu11 = select i1 %alu4, i32 0, i32 %alu10
  %alu12 = srem i32 %alu2, 7
  %alu13 = add i32 %alu11, %alu12
  %alu14 = extractelement <4 x i32> %val0, i32 1
  %alu15 = extractelement <4 x i32> %val1, i32 1
  %alu16 = icmp eq i32 %alu15, 0
  %alu17 = icmp eq i32 %alu15, -1
  %alu18 = select i1 %alu16, i32 1, i32 %alu15
  %alu19 = select i1 %alu17, i32 1, i32 %alu18
  %alu20 = sdiv i32 %alu14, %alu19
  %alu21 = sub i32 0, %alu14
  %alu22 = select i1 %alu17, i32 %alu21, i32 %alu20
  %alu23 = select i1 %alu16, i32 0, i32 %alu22
  %alu24 = srem i32 %alu14, 7
  %alu25 = add i32 %alu23, %alu24
  %alu26 = extractelement <4 x i32> %val0, i32 2
  %alu27 = extractelement <4 x i32> %val1, i32 2
  %alu28 = icmp eq i32 %alu27, 0
  %alu29 = icmp eq i32 %alu27, -1
  %alu30 = select i1 %alu28, i32 1, i32 %alu27
  %alu31 = select i1 %alu29, i32 1, i32 %alu30
  %alu32 = sdiv i32 %alu26, %alu31
  %alu33 = sub i32 0, %alu26
  %alu34 = select i1 %alu29, i32 %alu33, i32 %alu32
  %alu35 = select i1 %alu28, i32 0, i32 %alu34
  %alu36 = srem i32 %alu26, 7
  %alu37 = add i32 %alu35, %alu36
  %alu38 = extractelement <4 x i32> %val0, i32 3
  %alu39 = extractelement <4 x i32> %val1, i32 3
  %alu40 = icmp eq i32 %alu39, 0
  %alu41 = icmp eq i32 %alu39, -1
  %alu42 = select i1 %alu40, i32 1, i32 %alu39
  %alu43 = select i1 %alu41, i32 1, i32 %alu42
  %alu44 = sdiv i32 %alu38, %alu43
  %alu45 = sub i32 0, %alu38
  %alu46 = select i1 %alu41, i32 %alu45, i32 %alu44
  %alu47 = select i1 %alu40, i32 0, i32 %alu46
  %alu48 = srem i32 %alu38, 7
  %alu49 = add i32 %alu47, %alu48
  %cast0 = insertelement <4 x i32> poison, i32 %alu13, i32 0
  %cast1 = insertelement <4 x i32> %cast0, i32 %alu25, i32 1
  %cast2 = insertelement <4 x i32> %cast1, i32 %alu37, i32 2
  %cast3 = insertelement <4 x i32> %cast2, i32 %alu49, i32 3
  store <4 x i32> %cast3, ptr %ptr0, align 4
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
