@group(0) @binding(0) var<storage, read_write> data0: array<i32>;
@group(0) @binding(1) var<storage, read_write> data1: array<i32>;
@group(0) @binding(2) var<storage, read_write> data2: array<i32>;
@compute @workgroup_size(1, 1, 1)
fn kernel_divide(@builtin(workgroup_id) group: vec3<u32>) {
  let gidx0: i32 = i32(group.x); // 25
  let alu0: i32 = gidx0 * 4i;
  let val0: i32 = data1[alu0];
  let val1: i32 = data2[alu0];
  let alu1: i32 = select(val0 / val1, 0i, val1 == 0i);
  let alu2: i32 = val0 % 7i;
  let alu3: i32 = alu1 + alu2;
  data0[alu0] = alu3;
  let alu4: i32 = alu0 + 1i;
  let val2: i32 = data1[alu4];
  let val3: i32 = data2[alu4];
  let alu5: i32 = select(val2 / val3, 0i, val3 == 0i);
  let alu6: i32 = val2 % 7i;
  let alu7: i32 = alu5 + alu6;
  data0[alu4] = alu7;
  let alu8: i32 = alu0 + 2i;
  let val4: i32 = data1[alu8];
  let val5: i32 = data2[alu8];
  let alu9: i32 = select(val4 / val5, 0i, val5 == 0i);
  let alu10: i32 = val4 % 7i;
  let alu11: i32 = alu9 + alu10;
  data0[alu8] = alu11;
  let alu12: i32 = alu0 + 3i;
  let val6: i32 = data1[alu12];
  let val7: i32 = data2[alu12];
  let alu13: i32 = select(val6 / val7, 0i, val7 == 0i);
  let alu14: i32 = val6 % 7i;
  let alu15: i32 = alu13 + alu14;
  data0[alu12] = alu15;
}
