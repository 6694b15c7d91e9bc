@group(0) @binding(0) var<storage, read_write> data0: array<i32>;
@group(0) @binding(1) var<storage, read_write> data1: array<i32>;
@group(0) @binding(2) var<storage, read_write> data2: array<i32>;
@compute @workgroup_size(1, 1, 1)
fn divide() {
  for (var ridx0: i32 = 0i; ridx0 < 8i; ridx0++) {
    let val0: i32 = data1[ridx0];
    let val1: i32 = data2[ridx0];
    let alu0: i32 = select(val0 / val1, 0i, val1 == 0i);
    let alu1: i32 = select(val0 % val1, 0i, val1 == 0i);
    let alu2: i32 = alu0 - alu1;
    let alu3: i32 = val0 / 3i;
    let alu4: i32 = alu2 + alu3;
    data0[ridx0] = alu4;
  }
}
