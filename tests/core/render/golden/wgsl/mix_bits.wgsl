@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<u32>;
@group(0) @binding(2) var<storage, read_write> data2: array<u32>;
@compute @workgroup_size(1, 1, 1)
fn mix_bits() {
  for (var ridx0: i32 = 0i; ridx0 < 8i; ridx0++) {
    let val0: u32 = data2[ridx0];
    let alu0: u32 = val0 << 13u;
    let alu1: u32 = val0 >> 19u;
    let alu2: u32 = alu0 | alu1;
    let val1: u32 = data1[ridx0];
    let alu3: u32 = val1 + val0;
    let alu4: u32 = alu2 ^ alu3;
    let alu5: u32 = alu4 & 8388607u;
    let cast0: f32 = bitcast<f32>(alu5);
    data0[ridx0] = cast0;
  }
}
