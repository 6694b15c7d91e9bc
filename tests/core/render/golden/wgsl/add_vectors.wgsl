@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;
@compute @workgroup_size(1, 1, 1)
fn add_vectors() {
  for (var ridx0: i32 = 0i; ridx0 < 64i; ridx0++) {
    let alu0: i32 = ridx0 * 4i;
    let val0: f32 = data1[alu0];
    let val1: f32 = data1[alu0 + 1i];
    let val2: f32 = data1[alu0 + 2i];
    let val3: f32 = data1[alu0 + 3i];
    let val4: f32 = data2[alu0];
    let val5: f32 = data2[alu0 + 1i];
    let val6: f32 = data2[alu0 + 2i];
    let val7: f32 = data2[alu0 + 3i];
    let alu1: f32 = val0 + val4;
    let alu2: f32 = val1 + val5;
    let alu3: f32 = val2 + val6;
    let alu4: f32 = val3 + val7;
    data0[alu0] = alu1;
    data0[alu0 + 1i] = alu2;
    data0[alu0 + 2i] = alu3;
    data0[alu0 + 3i] = alu4;
  }
}
