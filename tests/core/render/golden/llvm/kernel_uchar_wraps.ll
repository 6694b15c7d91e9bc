define void @kernel_uchar_wraps(ptr noalias %data0, ptr noalias %data1) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 25
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 4
  %ptr0 = getelementptr i8, ptr %data0, i32 %alu1
  %ptr1 = getelementptr i8, ptr %data1, i32 %alu1
  %val0 = load <4 x i8>, ptr %ptr1, align 1
  %alu2 = extractelement <4 x i8> %val0, i32 0
  %alu3 = mul i8 %alu2, 3
  %alu4 = add i8 %alu3, 200
  %alu5 = extractelement <4 x i8> %val0, i32 1
  %alu6 = mul i8 %alu5, 3
  %alu7 = add i8 %alu6, 200
  %alu8 = extractelement <4 x i8> %val0, i32 2
  %alu9 = mul i8 %alu8, 3
  %alu10 = add i8 %alu9, 200
  %alu11 = extractelement <4 x i8> %val0, i32 3
  %alu12 = mul i8 %alu11, 3
  %alu13 = add i8 %alu12, 200
  %cast0 = insertelement <4 x i8> poison, i8 %alu4, i32 0
  %cast1 = insertelement <4 x i8> %cast0, i8 %alu7, i32 1
  %cast2 = insertelement <4 x i8> %cast1, i8 %alu10, i32 2
  %cast3 = insertelement <4 x i8> %cast2, i8 %alu13, i32 3
  store <4 x i8> %cast3, ptr %ptr0, align 1
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
