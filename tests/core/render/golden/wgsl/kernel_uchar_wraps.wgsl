@group(0) @binding(0) var<storage, read_write> data0: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> data1: array<u32>;
@compute @workgroup_size(1, 1, 1)
fn kernel_uchar_wraps(@builtin(workgroup_id) group: vec3<u32>) {
  let gidx0: i32 = i32(group.x); // 25
  let alu0: i32 = gidx0 * 4i;
  let val0: u32 = extractBits(data1[u32(alu0) >> 2u], (u32(alu0) & 3u) << 3u, 8u);
  let alu1: u32 = (val0 * 3u) & 255u;
  let alu2: u32 = (alu1 + 200u) & 255u;
  let alu3: u32 = u32(alu0) >> 2u;
  let alu4: u32 = (u32(alu0) & 3u) << 3u;
  atomicAnd(&data0[alu3], ~(255u << alu4));
  atomicOr(&data0[alu3], (u32(alu2) & 255u) << alu4);
  let alu5: i32 = alu0 + 1i;
  let val1: u32 = extractBits(data1[u32(alu5) >> 2u], (u32(alu5) & 3u) << 3u, 8u);
  let alu6: u32 = (val1 * 3u) & 255u;
  let alu7: u32 = (alu6 + 200u) & 255u;
  let alu8: u32 = u32(alu5) >> 2u;
  let alu9: u32 = (u32(alu5) & 3u) << 3u;
  atomicAnd(&data0[alu8], ~(255u << alu9));
  atomicOr(&data0[alu8], (u32(alu7) & 255u) << alu9);
  let alu10: i32 = alu0 + 2i;
  let val2: u32 = extractBits(data1[u32(alu10) >> 2u], (u32(alu10) & 3u) << 3u, 8u);
  let alu11: u32 = (val2 * 3u) & 255u;
  let alu12: u32 = (alu11 + 200u) & 255u;
  let alu13: u32 = u32(alu10) >> 2u;
  let alu14: u32 = (u32(alu10) & 3u) << 3u;
  atomicAnd(&data0[alu13], ~(255u << alu14));
  atomicOr(&data0[alu13], (u32(alu12) & 255u) << alu14);
  let alu15: i32 = alu0 + 3i;
  let val3: u32 = extractBits(data1[u32(alu15) >> 2u], (u32(alu15) & 3u) << 3u, 8u);
  let alu16: u32 = (val3 * 3u) & 255u;
  let alu17: u32 = (alu16 + 200u) & 255u;
  let alu18: u32 = u32(alu15) >> 2u;
  let alu19: u32 = (u32(alu15) & 3u) << 3u;
  atomicAnd(&data0[alu18], ~(255u << alu19));
  atomicOr(&data0[alu18], (u32(alu17) & 255u) << alu19);
}
