define void @halves(ptr noalias %data0, ptr noalias %data1, ptr noalias %data2) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 8
  br i1 %alu0, label %body0, label %done0
body0:
  %ptr0 = getelementptr half, ptr %data0, i32 %ridx0
  %ptr1 = getelementptr half, ptr %data1, i32 %ridx0
  %val0 = load half, ptr %ptr1, align 2
  %ptr2 = getelementptr half, ptr %data2, i32 %ridx0
  %val1 = load half, ptr %ptr2, align 2
  %alu1 = fmul half %val0, %val1
  %alu2 = fadd half %alu1, 0xH2E66
  %alu3 = fcmp olt half %alu2, 0xH8000
  %alu4 = select i1 %alu3, half 0xH8000, half %alu2
  store half %alu4, ptr %ptr0, align 2
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
