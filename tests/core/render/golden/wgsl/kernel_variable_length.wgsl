@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<uniform> n: i32;
@compute @workgroup_size(16, 1, 1)
fn kernel_variable_length(@builtin(local_invocation_id) local: vec3<u32>) {
  let lidx0: i32 = i32(local.x); // 16
  var acc0: f32 = 0.0f;
  for (var ridx1: i32 = 0i; ridx1 < n; ridx1++) {
    let alu0: i32 = ridx1 * 16i;
    let alu1: i32 = alu0 + lidx0;
    let val0: f32 = data1[alu1];
    let alu2: f32 = acc0 + val0;
    acc0 = alu2;
  }
  data0[lidx0] = acc0;
}
