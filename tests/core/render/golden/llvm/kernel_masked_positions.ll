declare float @llvm.sin.f32(float)
define void @kernel_masked_positions(ptr noalias %data0, ptr noalias %data1) nounwind {
entry:
  br label %test0
test0:
  %ridx0 = phi i32 [ 0, %entry ], [ %ridx0_next, %latch0 ]
  %alu0 = icmp slt i32 %ridx0, 8
  br i1 %alu0, label %body0, label %done0
body0:
  %alu1 = mul i32 %ridx0, 32
  br label %test1
test1:
  %ridx1 = phi i32 [ 0, %body0 ], [ %ridx1_next, %latch1 ]
  %alu2 = icmp slt i32 %ridx1, 32
  br i1 %alu2, label %body1, label %done1
body1:
  %alu3 = add i32 %alu1, %ridx1
  %ptr0 = getelementptr float, ptr %data0, i32 %alu3
  %alu4 = icmp slt i32 %ridx1, 1
  %alu5 = select i1 %alu4, i32 0, i32 1
  %alu6 = icmp slt i32 %ridx1, 10
  %alu7 = select i1 %alu6, i32 0, i32 1
  %alu8 = add i32 %alu5, %alu7
  %alu9 = icmp slt i32 %ridx1, 11
  %alu10 = select i1 %alu9, i32 0, i32 1
  %alu11 = add i32 %alu8, %alu10
  %alu12 = icmp slt i32 %ridx1, 12
  %alu13 = select i1 %alu12, i32 0, i32 1
  %alu14 = add i32 %alu11, %alu13
  %alu15 = icmp slt i32 %ridx1, 13
  %alu16 = select i1 %alu15, i32 0, i32 1
  %alu17 = add i32 %alu14, %alu16
  %alu18 = icmp slt i32 %ridx1, 14
  %alu19 = select i1 %alu18, i32 0, i32 1
  %alu20 = add i32 %alu17, %alu19
  %alu21 = icmp slt i32 %ridx1, 15
  %alu22 = select i1 %alu21, i32 0, i32 1
  %alu23 = add i32 %alu20, %alu22
  %alu24 = icmp slt i32 %ridx1, 16
  %alu25 = select i1 %alu24, i32 0, i32 1
  %alu26 = add i32 %alu23, %alu25
  %alu27 = icmp slt i32 %ridx1, 17
  %alu28 = select i1 %alu27, i32 0, i32 1
  %alu29 = add i32 %alu26, %alu28
  %alu30 = icmp slt i32 %ridx1, 18
  %alu31 = select i1 %alu30, i32 0, i32 1
  %alu32 = add i32 %alu29, %alu31
  %alu33 = icmp slt i32 %ridx1, 19
  %alu34 = select i1 %alu33, i32 0, i32 1
  %alu35 = add i32 %alu32, %alu34
  %alu36 = icmp slt i32 %ridx1, 2
  %alu37 = select i1 %alu36, i32 0, i32 1
  %alu38 = add i32 %alu35, %alu37
  %alu39 = icmp slt i32 %ridx1, 20
  %alu40 = select i1 %alu39, i32 0, i32 1
  %alu41 = add i32 %alu38, %alu40
  %alu42 = icmp slt i32 %ridx1, 21
  %alu43 = select i1 %alu42, i32 0, i32 1
  %alu44 = add i32 %alu41, %alu43
  %alu45 = icmp slt i32 %ridx1, 22
  %alu46 = select i1 %alu45, i32 0, i32 1
  %alu47 = add i32 %alu44, %alu46
  %alu48 = icmp slt i32 %ridx1, 23
  %alu49 = select i1 %alu48, i32 0, i32 1
  %alu50 = add i32 %alu47, %alu49
  %alu51 = icmp slt i32 %ridx1, 24
  %alu52 = select i1 %alu51, i32 0, i32 1
  %alu53 = add i32 %alu50, %alu52
  %alu54 = icmp slt i32 %ridx1, 25
  %alu55 = select i1 %alu54, i32 0, i32 1
  %alu56 = add i32 %alu53, %alu55
  %alu57 = icmp slt i32 %ridx1, 26
  %alu58 = select i1 %alu57, i32 0, i32 1
  %alu59 = add i32 %alu56, %alu58
  %alu60 = icmp slt i32 %ridx1, 27
  %alu61 = select i1 %alu60, i32 0, i32 1
  %alu62 = add i32 %alu59, %alu61
  %alu63 = icmp slt i32 %ridx1, 28
  %alu64 = select i1 %alu63, i32 0, i32 1
  %alu65 = add i32 %alu62, %alu64
  %alu66 = icmp slt i32 %ridx1, 29
  %alu67 = select i1 %alu66, i32 0, i32 1
  %alu68 = add i32 %alu65, %alu67
  %alu69 = icmp slt i32 %ridx1, 3
  %alu70 = select i1 %alu69, i32 0, i32 1
  %alu71 = add i32 %alu68, %alu70
  %alu72 = icmp slt i32 %ridx1, 30
  %alu73 = select i1 %alu72, i32 0, i32 1
  %alu74 = add i32 %alu71, %alu73
  %alu75 = icmp slt i32 %ridx1, 31
  %alu76 = select i1 %alu75, i32 0, i32 1
  %alu77 = add i32 %alu74, %alu76
  %alu78 = icmp slt i32 %ridx1, 4
  %alu79 = select i1 %alu78, i32 0, i32 1
  %alu80 = add i32 %alu77, %alu79
  %alu81 = icmp slt i32 %ridx1, 5
  %alu82 = select i1 %alu81, i32 0, i32 1
  %alu83 = add i32 %alu80, %alu82
  %alu84 = icmp slt i32 %ridx1, 6
  %alu85 = select i1 %alu84, i32 0, i32 1
  %alu86 = add i32 %alu83, %alu85
  %alu87 = icmp slt i32 %ridx1, 7
  %alu88 = select i1 %alu87, i32 0, i32 1
  %alu89 = add i32 %alu86, %alu88
  %alu90 = icmp slt i32 %ridx1, 8
  %alu91 = select i1 %alu90, i32 0, i32 1
  %alu92 = add i32 %alu89, %alu91
  %alu93 = icmp slt i32 %ridx1, 9
  %alu94 = select i1 %alu93, i32 0, i32 1
  %alu95 = add i32 %alu92, %alu94
  %alu96 = icmp slt i32 %alu95, 9
  %ptr1 = getelementptr float, ptr %data1, i32 %alu3
  %val0 = load float, ptr %ptr1, align 4
  %alu97 = call float @llvm.sin.f32(float %val0)
  %alu98 = select i1 %alu96, float %alu97, float 0x0000000000000000
  store float %alu98, ptr %ptr0, align 4
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
