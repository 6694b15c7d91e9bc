@group(0) @binding(0) var<storage, read_write> data0: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> data1: array<u32>;
@compute @workgroup_size(1, 1, 1)
fn store_some() {
  for (var ridx0: i32 = 0i; ridx0 < 10i; ridx0++) {
    let alu0: bool = 2i < ridx0;
    if (alu0) {
      let val0: bool = extractBits(data1[u32(ridx0) >> 2u], (u32(ridx0) & 3u) << 3u, 8u) != 0u;
      let alu1: bool = val0 != true;
      let alu2: u32 = u32(ridx0) >> 2u;
      let alu3: u32 = (u32(ridx0) & 3u) << 3u;
      atomicAnd(&data0[alu2], ~(255u << alu3));
      atomicOr(&data0[alu2], (u32(alu1) & 255u) << alu3);
    }
  }
}
