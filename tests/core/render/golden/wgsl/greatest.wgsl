var<private> bits_inf: u32 = 0x7f800000u;
@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@compute @workgroup_size(1, 1, 1)
fn greatest() {
  var acc0: f32 = (-bitcast<f32>(bits_inf));
  for (var ridx0: i32 = 0i; ridx0 < 100i; ridx0++) {
    let val0: f32 = data1[ridx0];
    let alu0: f32 = select(acc0, val0, acc0 < val0);
    acc0 = alu0;
  }
  data0[0i] = acc0;
}
