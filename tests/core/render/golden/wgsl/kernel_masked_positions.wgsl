var<private> bits_nan: u32 = 0x7fc00000u;
fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn neg64(a: vec2<u32>) -> vec2<u32> {
  return add64(~a, vec2<u32>(1u, 0u));
}
fn sub64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}
fn mul64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = (a.x & 0xffffu) * (b.x & 0xffffu);
  let middle = (a.x >> 16u) * (b.x & 0xffffu) + (low >> 16u);
  let other = (a.x & 0xffffu) * (b.x >> 16u) + (middle & 0xffffu);
  let high = (a.x >> 16u) * (b.x >> 16u) + (middle >> 16u) + (other >> 16u);
  return vec2<u32>(a.x * b.x, high + a.x * b.y + a.y * b.x);
}
fn ltu64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}
fn shl64(a: vec2<u32>, count: u32) -> vec2<u32> {
  if (count == 0u) { return a; }
  if (count >= 64u) { return vec2<u32>(0u, 0u); }
  if (count >= 32u) { return vec2<u32>(0u, a.x << (count - 32u)); }
  return vec2<u32>(a.x << count, (a.y << count) | (a.x >> (32u - count)));
}
fn shru64(a: vec2<u32>, count: u32) -> vec2<u32> {
  if (count == 0u) { return a; }
  if (count >= 64u) { return vec2<u32>(0u, 0u); }
  if (count >= 32u) { return vec2<u32>(a.y >> (count - 32u), 0u); }
  return vec2<u32>((a.x >> count) | (a.y << (32u - count)), a.y >> count);
}
fn divmod64(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
  var quotient = vec2<u32>(0u, 0u);
  var rest = vec2<u32>(0u, 0u);
  if (all(b == vec2<u32>(0u, 0u))) { return vec4<u32>(0u, 0u, 0u, 0u); }
  for (var i = 0u; i < 64u; i++) {
    let carry = rest.y >> 31u;
    rest = shl64(rest, 1u);
    rest.x = rest.x | (shru64(a, 63u - i).x & 1u);
    if (carry == 1u || !ltu64(rest, b)) {
      rest = sub64(rest, b);
      quotient = quotient | shl64(vec2<u32>(1u, 0u), 63u - i);
    }
  }
  return vec4<u32>(quotient, rest);
}
fn abs64(a: vec2<u32>) -> vec2<u32> {
  return select(a, neg64(a), (a.y >> 31u) == 1u);
}
fn divu64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return divmod64(a, b).xy;
}
fn floatu64(a: vec2<u32>) -> f32 {
  if (a.y == 0u) { return f32(a.x); }
  let shift = 32u - countLeadingZeros(a.y);
  let top = shru64(a, shift).x;
  let sticky = select(0u, 1u, any(shl64(vec2<u32>(top, 0u), shift) != a));
  return f32(top | sticky) * f32(1u << (shift >> 1u)) * f32(1u << (shift - (shift >> 1u)));
}
fn floats64(a: vec2<u32>) -> f32 {
  let size = floatu64(abs64(a));
  return select(size, -size, (a.y >> 31u) == 1u);
}
@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
var<workgroup> temp0: array<i32, 16>;
@compute @workgroup_size(16, 1, 1)
fn kernel_masked_positions(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let gidx0: i32 = i32(group.x); // 32
  let gidx1: i32 = i32(group.y); // 8
  let lidx0: i32 = i32(local.x); // 16
  let alu0: i32 = lidx0 * 2i;
  let alu1: i32 = alu0 + gidx0;
  var acc0: i32 = 0i;
  for (var ridx3: i32 = 0i; ridx3 < 2i; ridx3++) {
    let alu2: i32 = alu1 + ridx3;
    let alu3: bool = alu2 < 31i;
    let alu4: i32 = select(1i, 0i, alu3);
    let alu5: i32 = acc0 + alu4;
    acc0 = alu5;
  }
  temp0[lidx0] = acc0;
  workgroupBarrier();
  var acc1: i32 = 0i;
  for (var ridx6: i32 = 0i; ridx6 < 16i; ridx6++) {
    let val0: i32 = temp0[ridx6];
    let alu6: i32 = acc1 + val0;
    acc1 = alu6;
  }
  let alu7: i32 = gidx1 * 32i;
  let alu8: i32 = alu7 + gidx0;
  let alu9: i32 = acc1 + i32(-1);
  let alu10: bool = alu9 < 9i;
  let val1: f32 = data1[alu8];
  let cast0: u32 = bitcast<u32>(val1);
  let alu11: u32 = cast0 & 2147483647u;
  let alu12: bool = alu11 < 2139095040u;
  let alu13: bool = alu11 < 1056964608u;
  let alu14: u32 = alu11 & 8388607u;
  let alu15: u32 = alu14 | 8388608u;
  let cast1: vec2<u32> = vec2<u32>(alu15, 0u);
  let alu16: bool = alu11 < 1006632960u;
  let alu17: u32 = alu11 / 8388608u;
  let alu18: u32 = alu17 + 4294967176u;
  let alu19: u32 = select(alu18, 0u, alu16);
  let alu20: bool = alu19 < 128u;
  let alu21: bool = alu19 < 96u;
  let alu22: bool = alu19 < 64u;
  let alu23: bool = alu19 < 32u;
  let alu24: vec2<u32> = select(vec2<u32>(2734261102u,0u), vec2<u32>(0u,0u), alu23);
  let alu25: vec2<u32> = select(vec2<u32>(1313084713u,0u), alu24, alu22);
  let alu26: vec2<u32> = select(vec2<u32>(4230436817u,0u), alu25, alu21);
  let alu27: vec2<u32> = select(vec2<u32>(4113882560u,0u), alu26, alu20);
  let alu28: vec2<u32> = mul64(alu27, vec2<u32>(0u,1u));
  let alu29: vec2<u32> = select(vec2<u32>(1313084713u,0u), vec2<u32>(2734261102u,0u), alu23);
  let alu30: vec2<u32> = select(vec2<u32>(4230436817u,0u), alu29, alu22);
  let alu31: vec2<u32> = select(vec2<u32>(4113882560u,0u), alu30, alu21);
  let alu32: vec2<u32> = select(vec2<u32>(3680671129u,0u), alu31, alu20);
  let alu33: vec2<u32> = alu28 | alu32;
  let alu34: u32 = alu19 % 32u;
  let cast2: vec2<u32> = vec2<u32>(alu34, 0u);
  let alu35: u32 = cast2.x;
  let alu36: vec2<u32> = shl64(alu33, alu35);
  let alu37: vec2<u32> = divu64(alu36, vec2<u32>(0u,1u));
  let alu38: vec2<u32> = alu37 & vec2<u32>(4294967295u,0u);
  let alu39: vec2<u32> = mul64(cast1, alu38);
  let alu40: vec2<u32> = mul64(alu39, vec2<u32>(0u,1u));
  let alu41: vec2<u32> = mul64(alu32, vec2<u32>(0u,1u));
  let alu42: vec2<u32> = select(vec2<u32>(4230436817u,0u), vec2<u32>(1313084713u,0u), alu23);
  let alu43: vec2<u32> = select(vec2<u32>(4113882560u,0u), alu42, alu22);
  let alu44: vec2<u32> = select(vec2<u32>(3680671129u,0u), alu43, alu21);
  let alu45: vec2<u32> = select(vec2<u32>(1011060801u,0u), alu44, alu20);
  let alu46: vec2<u32> = alu41 | alu45;
  let alu47: u32 = cast2.x;
  let alu48: vec2<u32> = shl64(alu46, alu47);
  let alu49: vec2<u32> = divu64(alu48, vec2<u32>(0u,1u));
  let alu50: vec2<u32> = alu49 & vec2<u32>(4294967295u,0u);
  let alu51: vec2<u32> = mul64(cast1, alu50);
  let alu52: vec2<u32> = add64(alu40, alu51);
  let alu53: vec2<u32> = mul64(alu45, vec2<u32>(0u,1u));
  let alu54: vec2<u32> = select(vec2<u32>(4113882560u,0u), vec2<u32>(4230436817u,0u), alu23);
  let alu55: vec2<u32> = select(vec2<u32>(3680671129u,0u), alu54, alu22);
  let alu56: vec2<u32> = select(vec2<u32>(1011060801u,0u), alu55, alu21);
  let alu57: vec2<u32> = select(vec2<u32>(4266746795u,0u), alu56, alu20);
  let alu58: vec2<u32> = alu53 | alu57;
  let alu59: u32 = cast2.x;
  let alu60: vec2<u32> = shl64(alu58, alu59);
  let alu61: vec2<u32> = divu64(alu60, vec2<u32>(0u,1u));
  let alu62: vec2<u32> = alu61 & vec2<u32>(4294967295u,0u);
  let alu63: vec2<u32> = mul64(cast1, alu62);
  let alu64: vec2<u32> = divu64(alu63, vec2<u32>(0u,1u));
  let alu65: vec2<u32> = add64(alu52, alu64);
  let alu66: vec2<u32> = add64(alu65, vec2<u32>(0u,536870912u));
  let alu67: vec2<u32> = divu64(alu66, vec2<u32>(0u,1073741824u));
  let cast3: u32 = u32(alu67.x);
  let alu68: u32 = select(cast3, 0u, alu13);
  let alu69: u32 = alu68 & 1u;
  let alu70: bool = alu69 != 0u;
  let cast4: f32 = bitcast<f32>(alu11);
  let alu71: vec2<u32> = mul64(alu39, vec2<u32>(0u,4u));
  let alu72: vec2<u32> = mul64(alu51, vec2<u32>(4u,0u));
  let alu73: vec2<u32> = add64(alu71, alu72);
  let alu74: vec2<u32> = mul64(alu64, vec2<u32>(4u,0u));
  let alu75: vec2<u32> = add64(alu73, alu74);
  let cast5: vec2<u32> = alu75;
  let cast6: f32 = floats64(cast5);
  let alu76: f32 = cast6 * 8.515304e-20f;
  let alu77: f32 = select(alu76, cast4, alu13);
  let alu78: f32 = alu77 * alu77;
  let alu79: f32 = alu78 * (-2.755732e-07f);
  let alu80: f32 = alu79 + 2.4801588e-05f;
  let alu81: f32 = alu80 * alu78;
  let alu82: f32 = alu81 + (-0.0013888889f);
  let alu83: f32 = alu82 * alu78;
  let alu84: f32 = alu83 + 0.041666668f;
  let alu85: f32 = alu84 * alu78;
  let alu86: f32 = alu85 + (-0.5f);
  let alu87: f32 = alu78 * alu86;
  let alu88: f32 = alu87 + 1.0f;
  let alu89: f32 = alu78 * 2.7557319e-06f;
  let alu90: f32 = alu89 + (-0.0001984127f);
  let alu91: f32 = alu90 * alu78;
  let alu92: f32 = alu91 + 0.008333334f;
  let alu93: f32 = alu92 * alu78;
  let alu94: f32 = alu93 + (-0.16666667f);
  let alu95: f32 = alu78 * alu94;
  let alu96: f32 = alu77 * alu95;
  let alu97: f32 = alu96 + alu77;
  let alu98: f32 = select(alu97, alu88, alu70);
  let cast7: u32 = bitcast<u32>(alu98);
  let alu99: u32 = cast0 & 2147483648u;
  let alu100: u32 = alu68 & 2u;
  let alu101: u32 = alu100 * 1073741824u;
  let alu102: u32 = alu99 ^ alu101;
  let alu103: u32 = cast7 ^ alu102;
  let cast8: f32 = bitcast<f32>(alu103);
  let alu104: f32 = select(bitcast<f32>(bits_nan), cast8, alu12);
  let alu105: f32 = select(0.0f, alu104, alu10);
  let alu106: bool = lidx0 != 0i;
  let alu107: bool = alu106 != true;
  if (alu107) {
    data0[alu8] = alu105;
  }
}
