enable f16;
@group(0) @binding(0) var<storage, read_write> data0: array<f16>;
@group(0) @binding(1) var<storage, read_write> data1: array<f16>;
@group(0) @binding(2) var<storage, read_write> data2: array<f16>;
@compute @workgroup_size(1, 1, 1)
fn halves() {
  for (var ridx0: i32 = 0i; ridx0 < 8i; ridx0++) {
    let val0: f16 = data1[ridx0];
    let val1: f16 = data2[ridx0];
    let alu0: f16 = val0 * val1;
    let alu1: f16 = alu0 + 0.1h;
    let alu2: f16 = select(alu1, (-0.0h), alu1 < (-0.0h));
    data0[ridx0] = alu2;
  }
}
