define void @kernel_long(ptr noalias %data0, ptr noalias %data1, ptr noalias %data2) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 10
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 4
  %ptr0 = getelementptr i64, ptr %data0, i32 %alu1
  %ptr1 = getelementptr i64, ptr %data1, i32 %alu1
  %val0 = load <4 x i64>, ptr %ptr1, align 8
  %alu2 = extractelement <4 x i64> %val0, i32 0
  %ptr2 = getelementptr i64, ptr %data2, i32 %alu1
  %val1 = load <4 x i64>, ptr %ptr2, align 8
  %alu3 = extractelement <4 x i64> %val1, i32 0
  %alu4 = mul i64 %alu2, %alu3
  %alu5 = add i64 %alu4, 1
  %alu6 = extractelement <4 x i64> %val0, i32 1
  %alu7 = extractelement <4 x i64> %val1, i32 1
  %alu8 = mul i64 %alu6, %alu7
  %alu9 = add i64 %alu8, 1
  %alu10 = extractelement <4 x i64> %val0, i32 2
  %alu11 = extractelement <4 x i64> %val1, i32 2
  %alu12 = mul i64 %alu10, %alu11
  %alu13 = add i64 %alu12, 1
  %alu14 = extractelement <4 x i64> %val0, i32 3
  %alu15 = extractelement <4 x i64> %val1, i32 3
  %alu16 = mul i64 %alu14, %alu15
  %alu17 = add i64 %alu16, 1
  %cast0 = insertelement <4 x i64> poison, i64 %alu5, i32 0
  %cast1 = insertelement <4 x i64> %cast0, i64 %alu9, i32 1
  %cast2 = insertelement <4 x i64> %cast1, i64 %alu13, i32 2
  %cast3 = insertelement <4 x i64> %cast2, i64 %alu17, i32 3
  store <4 x i64> %cast3, ptr %ptr0, align 8
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
