define void @pad(ptr noalias %data0, ptr noalias %data1) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 10
  br i1 %alu0, label %body0, label %done0
body0:
  %ptr0 = getelementptr float, ptr %data0, i32 %ridx0
  %ptr1 = getelementptr float, ptr %data1, i32 %ridx0
  %alu1 = icmp slt i32 %ridx0, 7
  br i1 %alu1, label %load0, label %endload0
load0:
  %val0 = load float, ptr %ptr1, align 4
  br label %endload0
endload0:
  %val1 = phi float [ %val0, %load0 ], [ 0x0000000000000000, %body0 ]
  store float %val1, ptr %ptr0, align 4
  br label %latch0
latch0:
  %ridx0_next = add i32 %ridx0, 1
  br label %test0
done0:
  ret void
}
