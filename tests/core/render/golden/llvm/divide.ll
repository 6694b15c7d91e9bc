define void @divide(ptr noalias %data0, ptr noalias %data1, ptr noalias %data2) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 8
  br i1 %alu0, label %body0, label %done0
body0:
  %ptr0 = getelementptr i32, ptr %data0, i32 %ridx0
  %ptr1 = getelementptr i32, ptr %data1, i32 %ridx0
  %val0 = load i32, ptr %ptr1, align 4
  %ptr2 = getelementptr i32, ptr %data2, i32 %ridx0
  %val1 = load i32, ptr %ptr2, align 4
  %alu1 = icmp eq i32 %val1, 0
  %alu2 = icmp eq i32 %val1, -1
  %alu3 = select i1 %alu1, i32 1, i32 %val1
  %alu4 = select i1 %alu2, i32 1, i32 %alu3
  %alu5 = sdiv i32 %val0, %alu4
  %alu6 = sub i32 0, %val0
  %alu7 = select i1 %alu2, i32 %alu6, i32 %alu5
  %alu8 = select i1 %alu1, i32 0, i32 %alu7
  %alu9 = icmp eq i32 %val1, 0
  %alu10 = icmp eq i32 %val1, -1
  %alu11 = select i1 %alu9, i32 1, i32 %val1
  %alu12 = select i1 %alu10, i32 1, i32 %alu11
  %alu13 = srem i32 %val0, %alu12
  %alu14 = sub i32 %alu8, %alu13
  %alu15 = sdiv i32 %val0, 3
  %alu16 = add i32 %alu14, %alu15
  store i32 %alu16, ptr %ptr0, align 4
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
