@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;
@compute @workgroup_size(32, 1, 1)
fn kernel_add(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let gidx0: i32 = i32(group.x); // 8
  let lidx0: i32 = i32(local.x); // 32
  let alu0: i32 = gidx0 * 128i;
  let alu1: i32 = lidx0 * 4i;
  let alu2: i32 = alu0 + alu1;
  let val0: f32 = data1[alu2];
  let val1: f32 = data2[alu2];
  let alu3: f32 = val0 + val1;
  data0[alu2] = alu3;
  let alu4: i32 = alu2 + 1i;
  let val2: f32 = data1[alu4];
  let val3: f32 = data2[alu4];
  let alu5: f32 = val2 + val3;
  data0[alu4] = alu5;
  let alu6: i32 = alu2 + 2i;
  let val4: f32 = data1[alu6];
  let val5: f32 = data2[alu6];
  let alu7: f32 = val4 + val5;
  data0[alu6] = alu7;
  let alu8: i32 = alu2 + 3i;
  let val6: f32 = data1[alu8];
  let val7: f32 = data2[alu8];
  let alu9: f32 = val6 + val7;
  data0[alu8] = alu9;
}
