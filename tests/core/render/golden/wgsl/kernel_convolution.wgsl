@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;
@compute @workgroup_size(2, 16, 4)
fn kernel_convolution(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let gidx0: i32 = i32(group.x); // 4
  let lidx0: i32 = i32(local.x); // 2
  let lidx1: i32 = i32(local.y); // 16
  let lidx2: i32 = i32(local.z); // 4
  let alu0: i32 = lidx1 * 16i;
  let alu1: i32 = lidx2 * 4i;
  let alu2: bool = lidx1 < 1i;
  let alu3: bool = alu2 != true;
  let alu4: bool = lidx2 < 1i;
  let alu5: bool = alu4 != true;
  let alu6: bool = alu3 & alu5;
  let alu7: i32 = gidx0 * 72i;
  let alu8: i32 = lidx0 * 36i;
  let alu9: i32 = alu7 + alu8;
  let alu10: bool = lidx1 < 15i;
  let alu11: bool = alu10 & alu5;
  let alu12: bool = lidx2 < 3i;
  let alu13: bool = alu3 & alu12;
  let alu14: bool = alu10 & alu12;
  var acc0: f32 = 0.0f;
  var acc1: f32 = 0.0f;
  var acc2: f32 = 0.0f;
  var acc3: f32 = 0.0f;
  for (var ridx4: i32 = 0i; ridx4 < 4i; ridx4++) {
    let alu15: i32 = ridx4 * 256i;
    let alu16: i32 = alu15 + alu0;
    let alu17: i32 = alu16 + alu1;
    let alu18: i32 = alu17 + i32(-17);
    var val0: f32 = 0.0f;
    if (alu6) {
      val0 = data1[alu18];
    }
    let alu19: i32 = ridx4 * 9i;
    let alu20: i32 = alu9 + alu19;
    let val1: f32 = data2[alu20];
    let alu21: f32 = val0 * val1;
    let alu22: i32 = alu17 + i32(-1);
    var val2: f32 = 0.0f;
    if (alu5) {
      val2 = data1[alu22];
    }
    let alu23: i32 = alu20 + 3i;
    let val3: f32 = data2[alu23];
    let alu24: f32 = val2 * val3;
    let alu25: f32 = alu21 + alu24;
    let alu26: i32 = alu17 + 15i;
    var val4: f32 = 0.0f;
    if (alu11) {
      val4 = data1[alu26];
    }
    let alu27: i32 = alu20 + 6i;
    let val5: f32 = data2[alu27];
    let alu28: f32 = val4 * val5;
    let alu29: f32 = alu25 + alu28;
    let alu30: i32 = alu17 + i32(-16);
    var val6: f32 = 0.0f;
    if (alu3) {
      val6 = data1[alu30];
    }
    let alu31: i32 = alu20 + 1i;
    let val7: f32 = data2[alu31];
    let alu32: f32 = val6 * val7;
    let alu33: f32 = alu29 + alu32;
    let val8: f32 = data1[alu17];
    let alu34: i32 = alu20 + 4i;
    let val9: f32 = data2[alu34];
    let alu35: f32 = val8 * val9;
    let alu36: f32 = alu33 + alu35;
    let alu37: i32 = alu17 + 16i;
    var val10: f32 = 0.0f;
    if (alu10) {
      val10 = data1[alu37];
    }
    let alu38: i32 = alu20 + 7i;
    let val11: f32 = data2[alu38];
    let alu39: f32 = val10 * val11;
    let alu40: f32 = alu36 + alu39;
    let alu41: i32 = alu17 + i32(-15);
    var val12: f32 = 0.0f;
    if (alu3) {
      val12 = data1[alu41];
    }
    let alu42: i32 = alu20 + 2i;
    let val13: f32 = data2[alu42];
    let alu43: f32 = val12 * val13;
    let alu44: f32 = alu40 + alu43;
    let alu45: i32 = alu17 + 1i;
    let val14: f32 = data1[alu45];
    let alu46: i32 = alu20 + 5i;
    let val15: f32 = data2[alu46];
    let alu47: f32 = val14 * val15;
    let alu48: f32 = alu44 + alu47;
    let alu49: i32 = alu17 + 17i;
    var val16: f32 = 0.0f;
    if (alu10) {
      val16 = data1[alu49];
    }
    let alu50: i32 = alu20 + 8i;
    let val17: f32 = data2[alu50];
    let alu51: f32 = val16 * val17;
    let alu52: f32 = alu48 + alu51;
    let alu53: f32 = acc0 + alu52;
    acc0 = alu53;
    let alu54: f32 = val6 * val1;
    let alu55: f32 = val8 * val3;
    let alu56: f32 = alu54 + alu55;
    let alu57: f32 = val10 * val5;
    let alu58: f32 = alu56 + alu57;
    let alu59: f32 = val12 * val7;
    let alu60: f32 = alu58 + alu59;
    let alu61: f32 = val14 * val9;
    let alu62: f32 = alu60 + alu61;
    let alu63: f32 = val16 * val11;
    let alu64: f32 = alu62 + alu63;
    let alu65: i32 = alu17 + i32(-14);
    var val18: f32 = 0.0f;
    if (alu3) {
      val18 = data1[alu65];
    }
    let alu66: f32 = val18 * val13;
    let alu67: f32 = alu64 + alu66;
    let alu68: i32 = alu17 + 2i;
    let val19: f32 = data1[alu68];
    let alu69: f32 = val19 * val15;
    let alu70: f32 = alu67 + alu69;
    let alu71: i32 = alu17 + 18i;
    var val20: f32 = 0.0f;
    if (alu10) {
      val20 = data1[alu71];
    }
    let alu72: f32 = val20 * val17;
    let alu73: f32 = alu70 + alu72;
    let alu74: f32 = acc1 + alu73;
    acc1 = alu74;
    let alu75: f32 = val12 * val1;
    let alu76: f32 = val14 * val3;
    let alu77: f32 = alu75 + alu76;
    let alu78: f32 = val16 * val5;
    let alu79: f32 = alu77 + alu78;
    let alu80: f32 = val18 * val7;
    let alu81: f32 = alu79 + alu80;
    let alu82: f32 = val19 * val9;
    let alu83: f32 = alu81 + alu82;
    let alu84: f32 = val20 * val11;
    let alu85: f32 = alu83 + alu84;
    let alu86: i32 = alu17 + i32(-13);
    var val21: f32 = 0.0f;
    if (alu3) {
      val21 = data1[alu86];
    }
    let alu87: f32 = val21 * val13;
    let alu88: f32 = alu85 + alu87;
    let alu89: i32 = alu17 + 3i;
    let val22: f32 = data1[alu89];
    let alu90: f32 = val22 * val15;
    let alu91: f32 = alu88 + alu90;
    let alu92: i32 = alu17 + 19i;
    var val23: f32 = 0.0f;
    if (alu10) {
      val23 = data1[alu92];
    }
    let alu93: f32 = val23 * val17;
    let alu94: f32 = alu91 + alu93;
    let alu95: f32 = acc2 + alu94;
    acc2 = alu95;
    let alu96: f32 = val18 * val1;
    let alu97: f32 = val19 * val3;
    let alu98: f32 = alu96 + alu97;
    let alu99: f32 = val20 * val5;
    let alu100: f32 = alu98 + alu99;
    let alu101: f32 = val21 * val7;
    let alu102: f32 = alu100 + alu101;
    let alu103: f32 = val22 * val9;
    let alu104: f32 = alu102 + alu103;
    let alu105: f32 = val23 * val11;
    let alu106: f32 = alu104 + alu105;
    let alu107: i32 = alu17 + i32(-12);
    var val24: f32 = 0.0f;
    if (alu13) {
      val24 = data1[alu107];
    }
    let alu108: f32 = val24 * val13;
    let alu109: f32 = alu106 + alu108;
    let alu110: i32 = alu17 + 4i;
    var val25: f32 = 0.0f;
    if (alu12) {
      val25 = data1[alu110];
    }
    let alu111: f32 = val25 * val15;
    let alu112: f32 = alu109 + alu111;
    let alu113: i32 = alu17 + 20i;
    var val26: f32 = 0.0f;
    if (alu14) {
      val26 = data1[alu113];
    }
    let alu114: f32 = val26 * val17;
    let alu115: f32 = alu112 + alu114;
    let alu116: f32 = acc3 + alu115;
    acc3 = alu116;
  }
  let alu117: i32 = gidx0 * 512i;
  let alu118: i32 = lidx0 * 256i;
  let alu119: i32 = alu117 + alu118;
  let alu120: i32 = alu119 + alu0;
  let alu121: i32 = alu120 + alu1;
  let alu122: f32 = select(acc0, 0.0f, acc0 < 0.0f);
  data0[alu121] = alu122;
  let alu123: i32 = alu121 + 1i;
  let alu124: f32 = select(acc1, 0.0f, acc1 < 0.0f);
  data0[alu123] = alu124;
  let alu125: i32 = alu121 + 2i;
  let alu126: f32 = select(acc2, 0.0f, acc2 < 0.0f);
  data0[alu125] = alu126;
  let alu127: i32 = alu121 + 3i;
  let alu128: f32 = select(acc3, 0.0f, acc3 < 0.0f);
  data0[alu127] = alu128;
}
