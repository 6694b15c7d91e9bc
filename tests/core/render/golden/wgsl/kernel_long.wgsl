fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn mul64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = (a.x & 0xffffu) * (b.x & 0xffffu);
  let middle = (a.x >> 16u) * (b.x & 0xffffu) + (low >> 16u);
  let other = (a.x & 0xffffu) * (b.x >> 16u) + (middle & 0xffffu);
  let high = (a.x >> 16u) * (b.x >> 16u) + (middle >> 16u) + (other >> 16u);
  return vec2<u32>(a.x * b.x, high + a.x * b.y + a.y * b.x);
}
@group(0) @binding(0) var<storage, read_write> data0: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> data1: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> data2: array<vec2<u32>>;
@compute @workgroup_size(2, 1, 1)
fn kernel_long(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let gidx0: i32 = i32(group.x); // 5
  let lidx0: i32 = i32(local.x); // 2
  let alu0: i32 = gidx0 * 8i;
  let alu1: i32 = lidx0 * 4i;
  let alu2: i32 = alu0 + alu1;
  let val0: vec2<u32> = data1[alu2];
  let val1: vec2<u32> = data2[alu2];
  let alu3: vec2<u32> = mul64(val0, val1);
  let alu4: vec2<u32> = add64(alu3, vec2<u32>(1u,0u));
  data0[alu2] = alu4;
  let alu5: i32 = alu2 + 1i;
  let val2: vec2<u32> = data1[alu5];
  let val3: vec2<u32> = data2[alu5];
  let alu6: vec2<u32> = mul64(val2, val3);
  let alu7: vec2<u32> = add64(alu6, vec2<u32>(1u,0u));
  data0[alu5] = alu7;
  let alu8: i32 = alu2 + 2i;
  let val4: vec2<u32> = data1[alu8];
  let val5: vec2<u32> = data2[alu8];
  let alu9: vec2<u32> = mul64(val4, val5);
  let alu10: vec2<u32> = add64(alu9, vec2<u32>(1u,0u));
  data0[alu8] = alu10;
  let alu11: i32 = alu2 + 3i;
  let val6: vec2<u32> = data1[alu11];
  let val7: vec2<u32> = data2[alu11];
  let alu12: vec2<u32> = mul64(val6, val7);
  let alu13: vec2<u32> = add64(alu12, vec2<u32>(1u,0u));
  data0[alu11] = alu13;
}
