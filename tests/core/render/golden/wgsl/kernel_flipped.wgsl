@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@compute @workgroup_size(4, 1, 1)
fn kernel_flipped(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let gidx0: i32 = i32(group.x); // 15
  let lidx0: i32 = i32(local.x); // 4
  let alu0: i32 = gidx0 * 16i;
  let alu1: i32 = lidx0 * 4i;
  let alu2: i32 = alu0 + alu1;
  let alu3: i32 = gidx0 * i32(-16);
  let alu4: i32 = lidx0 * i32(-4);
  let alu5: i32 = alu3 + alu4;
  let alu6: i32 = alu5 + 239i;
  let val0: f32 = data1[alu6];
  data0[alu2] = val0;
  let alu7: i32 = alu2 + 1i;
  let alu8: i32 = alu5 + 238i;
  let val1: f32 = data1[alu8];
  data0[alu7] = val1;
  let alu9: i32 = alu2 + 2i;
  let alu10: i32 = alu5 + 237i;
  let val2: f32 = data1[alu10];
  data0[alu9] = val2;
  let alu11: i32 = alu2 + 3i;
  let alu12: i32 = alu5 + 236i;
  let val3: f32 = data1[alu12];
  data0[alu11] = val3;
}
