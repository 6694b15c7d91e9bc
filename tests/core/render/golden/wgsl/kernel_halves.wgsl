enable f16;
@group(0) @binding(0) var<storage, read_write> data0: array<f16>;
@group(0) @binding(1) var<storage, read_write> data1: array<f16>;
@group(0) @binding(2) var<storage, read_write> data2: array<f16>;
@compute @workgroup_size(32, 1, 1)
fn kernel_halves(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let gidx0: i32 = i32(group.x); // 4
  let lidx0: i32 = i32(local.x); // 32
  let alu0: i32 = gidx0 * 128i;
  let alu1: i32 = lidx0 * 4i;
  let alu2: i32 = alu0 + alu1;
  let val0: f16 = data1[alu2];
  let alu3: f16 = val0 * 2.0h;
  let val1: f16 = data2[alu2];
  let alu4: f16 = alu3 + val1;
  data0[alu2] = alu4;
  let alu5: i32 = alu2 + 1i;
  let val2: f16 = data1[alu5];
  let alu6: f16 = val2 * 2.0h;
  let val3: f16 = data2[alu5];
  let alu7: f16 = alu6 + val3;
  data0[alu5] = alu7;
  let alu8: i32 = alu2 + 2i;
  let val4: f16 = data1[alu8];
  let alu9: f16 = val4 * 2.0h;
  let val5: f16 = data2[alu8];
  let alu10: f16 = alu9 + val5;
  data0[alu8] = alu10;
  let alu11: i32 = alu2 + 3i;
  let val6: f16 = data1[alu11];
  let alu12: f16 = val6 * 2.0h;
  let val7: f16 = data2[alu11];
  let alu13: f16 = alu12 + val7;
  data0[alu11] = alu13;
}
