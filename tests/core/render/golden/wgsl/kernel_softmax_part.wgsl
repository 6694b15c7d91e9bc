@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;
var<workgroup> temp0: array<f32, 16>;
@compute @workgroup_size(16, 1, 1)
fn kernel_softmax_part(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let gidx0: i32 = i32(group.x); // 32
  let lidx0: i32 = i32(local.x); // 16
  let alu0: i32 = gidx0 * 128i;
  let alu1: i32 = lidx0 * 8i;
  let alu2: i32 = alu0 + alu1;
  let val0: f32 = data2[gidx0];
  var acc0: f32 = 0.0f;
  for (var ridx2: i32 = 0i; ridx2 < 8i; ridx2++) {
    let alu3: i32 = alu2 + ridx2;
    let val1: f32 = data1[alu3];
    let alu4: f32 = val1 - val0;
    let alu5: f32 = alu4 * 1.442695f;
    let alu6: bool = alu5 < (-160.0f);
    let alu7: bool = 160.0f < alu5;
    let alu8: f32 = select(alu5, 160.0f, alu7);
    let alu9: f32 = select(alu8, (-160.0f), alu6);
    let alu10: bool = alu9 < 0.0f;
    let alu11: f32 = select(0.5f, (-0.5f), alu10);
    let alu12: f32 = alu9 + alu11;
    let cast0: i32 = i32(i32(alu12));
    let cast1: f32 = f32(cast0);
    let alu13: f32 = alu9 - cast1;
    let alu14: f32 = alu13 * 1.5252734e-05f;
    let alu15: f32 = alu14 + 0.0001540353f;
    let alu16: f32 = alu15 * alu13;
    let alu17: f32 = alu16 + 0.0013333558f;
    let alu18: f32 = alu17 * alu13;
    let alu19: f32 = alu18 + 0.009618129f;
    let alu20: f32 = alu19 * alu13;
    let alu21: f32 = alu20 + 0.05550411f;
    let alu22: f32 = alu21 * alu13;
    let alu23: f32 = alu22 + 0.2402265f;
    let alu24: f32 = alu23 * alu13;
    let alu25: f32 = alu24 + 0.6931472f;
    let alu26: f32 = alu25 * alu13;
    let alu27: f32 = alu26 + 1.0f;
    let alu28: i32 = cast0 / 2i;
    let alu29: i32 = alu28 * 8388608i;
    let alu30: i32 = alu29 + 1065353216i;
    let cast2: f32 = bitcast<f32>(alu30);
    let alu31: f32 = alu27 * cast2;
    let alu32: i32 = cast0 * 8388608i;
    let alu33: i32 = alu28 * i32(-8388608);
    let alu34: i32 = alu32 + alu33;
    let alu35: i32 = alu34 + 1065353216i;
    let cast3: f32 = bitcast<f32>(alu35);
    let alu36: f32 = alu31 * cast3;
    let alu37: f32 = acc0 + alu36;
    acc0 = alu37;
  }
  temp0[lidx0] = acc0;
  workgroupBarrier();
  var acc1: f32 = 0.0f;
  for (var ridx4: i32 = 0i; ridx4 < 16i; ridx4++) {
    let val2: f32 = temp0[ridx4];
    let alu38: f32 = acc1 + val2;
    acc1 = alu38;
  }
  let alu39: bool = lidx0 != 0i;
  let alu40: bool = alu39 != true;
  if (alu40) {
    data0[gidx0] = acc1;
  }
}
