@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
var<workgroup> temp0: array<f32, 16>;
@compute @workgroup_size(16, 1, 1)
fn kernel_sum(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let gidx0: i32 = i32(group.x); // 64
  let lidx0: i32 = i32(local.x); // 16
  let alu0: i32 = gidx0 * 1024i;
  let alu1: i32 = lidx0 * 64i;
  let alu2: i32 = alu0 + alu1;
  var acc0: f32 = 0.0f;
  for (var ridx2: i32 = 0i; ridx2 < 64i; ridx2++) {
    let alu3: i32 = alu2 + ridx2;
    let val0: f32 = data1[alu3];
    let alu4: f32 = acc0 + val0;
    acc0 = alu4;
  }
  temp0[lidx0] = acc0;
  workgroupBarrier();
  var acc1: f32 = 0.0f;
  for (var ridx4: i32 = 0i; ridx4 < 16i; ridx4++) {
    let val1: f32 = temp0[ridx4];
    let alu5: f32 = acc1 + val1;
    acc1 = alu5;
  }
  let alu6: bool = lidx0 != 0i;
  let alu7: bool = alu6 != true;
  if (alu7) {
    data0[gidx0] = acc1;
  }
}
