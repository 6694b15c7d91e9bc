@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@compute @workgroup_size(1, 1, 1)
fn pad() {
  for (var ridx0: i32 = 0i; ridx0 < 10i; ridx0++) {
    let alu0: bool = ridx0 < 7i;
    var val0: f32 = 0.0f;
    if (alu0) {
      val0 = data1[ridx0];
    }
    data0[ridx0] = val0;
  }
}
