@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
var<workgroup> temp0: array<f32, 256>;
@compute @workgroup_size(256, 1, 1)
fn kernel_total(@builtin(local_invocation_id) local: vec3<u32>) {
  let lidx0: i32 = i32(local.x); // 256
  let alu0: i32 = lidx0 * 16i;
  var acc0: f32 = 0.0f;
  for (var ridx1: i32 = 0i; ridx1 < 16i; ridx1++) {
    let alu1: i32 = alu0 + ridx1;
    let val0: f32 = data1[alu1];
    let alu2: f32 = acc0 + val0;
    acc0 = alu2;
  }
  temp0[lidx0] = acc0;
  workgroupBarrier();
  var acc1: f32 = 0.0f;
  for (var ridx2: i32 = 0i; ridx2 < 256i; ridx2++) {
    let val1: f32 = temp0[ridx2];
    let alu3: f32 = acc1 + val1;
    acc1 = alu3;
  }
  let alu4: bool = lidx0 != 0i;
  let alu5: bool = alu4 != true;
  if (alu5) {
    data0[0i] = acc1;
  }
}
