define void @mix_bits(ptr noalias %data0, ptr noalias %data1, ptr noalias %data2) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 8
  br i1 %alu0, label %body0, label %done0
body0:
  %ptr0 = getelementptr float, ptr %data0, i32 %ridx0
  %ptr1 = getelementptr i32, ptr %data2, i32 %ridx0
  %val0 = load i32, ptr %ptr1, align 4
  %alu1 = shl i32 %val0, 13
  %alu2 = lshr i32 %val0, 19
  %alu3 = or i32 %alu1, %alu2
  %ptr2 = getelementptr i32, ptr %data1, i32 %ridx0
  %val1 = load i32, ptr %ptr2, align 4
  %alu4 = add i32 %val1, %val0
  %alu5 = xor i32 %alu3, %alu4
  %alu6 = and i32 %alu5, 8388607
  %cast0 = bitcast i32 %alu6 to float
  store float %cast0, ptr %ptr0, align 4
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
