@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;
@compute @workgroup_size(1, 1, 1)
fn matmul() {
  for (var ridx0: i32 = 0i; ridx0 < 16i; ridx0++) {
    for (var ridx1: i32 = 0i; ridx1 < 8i; ridx1++) {
      var acc0: f32 = 0.0f;
      for (var ridx2: i32 = 0i; ridx2 < 32i; ridx2++) {
        let alu0: i32 = ridx0 * 32i;
        let alu1: i32 = alu0 + ridx2;
        let val0: f32 = data1[alu1];
        let alu2: i32 = ridx2 * 8i;
        let alu3: i32 = alu2 + ridx1;
        let val1: f32 = data2[alu3];
        let alu4: f32 = val0 * val1;
        let alu5: f32 = acc0 + alu4;
        acc0 = alu5;
      }
      let alu6: i32 = ridx0 * 8i;
      let alu7: i32 = alu6 + ridx1;
      data0[alu7] = acc0;
    }
  }
}
