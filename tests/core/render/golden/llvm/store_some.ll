define void @store_some(ptr noalias %data0, ptr noalias %data1) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 10
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = icmp slt i32 2, %ridx0
  br i1 %alu1, label %then0, label %endif0
then0:
  %ptr0 = getelementptr i8, ptr %data0, i32 %ridx0
  %ptr1 = getelementptr i8, ptr %data1, i32 %ridx0
  %val0 = load i8, ptr %ptr1, align 1
  %val1 = icmp ne i8 %val0, 0
  %alu2 = xor i1 %val1, true
  %alu3 = zext i1 %alu2 to i8
  store i8 %alu3, ptr %ptr0, align 1
  br label %endif0
endif0:
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
