@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@compute @workgroup_size(16, 2, 1)
fn kernel_padded(@builtin(local_invocation_id) local: vec3<u32>) {
  let lidx0: i32 = i32(local.x); // 16
  let lidx1: i32 = i32(local.y); // 2
  let alu0: i32 = lidx0 * 8i;
  let alu1: i32 = lidx1 * 4i;
  let alu2: i32 = alu0 + alu1;
  let alu3: i32 = lidx0 * 7i;
  let alu4: i32 = alu3 + alu1;
  let alu5: i32 = alu4 + i32(-7);
  let alu6: bool = lidx0 < 1i;
  let alu7: bool = alu6 != true;
  let alu8: bool = lidx0 < 14i;
  let alu9: bool = alu7 & alu8;
  var val0: f32 = 0.0f;
  if (alu9) {
    val0 = data1[alu5];
  }
  let alu10: f32 = val0 + 1.0f;
  data0[alu2] = alu10;
  let alu11: i32 = alu2 + 1i;
  let alu12: i32 = alu4 + i32(-6);
  var val1: f32 = 0.0f;
  if (alu9) {
    val1 = data1[alu12];
  }
  let alu13: f32 = val1 + 1.0f;
  data0[alu11] = alu13;
  let alu14: i32 = alu2 + 2i;
  let alu15: i32 = alu4 + i32(-5);
  var val2: f32 = 0.0f;
  if (alu9) {
    val2 = data1[alu15];
  }
  let alu16: f32 = val2 + 1.0f;
  data0[alu14] = alu16;
  let alu17: i32 = alu2 + 3i;
  let alu18: i32 = alu4 + i32(-4);
  let alu19: bool = lidx1 < 1i;
  let alu20: bool = alu9 & alu19;
  var val3: f32 = 0.0f;
  if (alu20) {
    val3 = data1[alu18];
  }
  let alu21: f32 = val3 + 1.0f;
  data0[alu17] = alu21;
}
