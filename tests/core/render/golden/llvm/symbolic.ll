define void @symbolic(ptr noalias %data0, i32 %heads, i32 %start_pos) nounwind {
entry:
  %cast0 = sext i32 %heads to i64
  %alu0 = mul i64 %cast0, 4294967296
  %alu1 = add i32 %start_pos, 1
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu2 = icmp slt i32 %ridx0, %alu1
  br i1 %alu2, label %body0, label %done0
body0:
  %cast1 = sext i32 %ridx0 to i64
  %alu3 = add i64 %alu0, %cast1
  %ptr0 = getelementptr i8, ptr %data0, i64 %alu3
  %cast2 = trunc i32 %ridx0 to i8
  store i8 %cast2, ptr %ptr0, align 1
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
