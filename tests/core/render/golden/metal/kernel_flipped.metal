#include <metal_stdlib>
using namespace metal;
kernel void kernel_flipped(device float* data0, device float* data1, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  int gidx0 = gid.x; /* 15 */
  int lidx0 = lid.x; /* 4 */
  float4 val0 = *(device float4*)&data1[gidx0*-16+lidx0*-4+236];
  *(device float4*)&data0[gidx0*16+lidx0*4] = float4(val0.w,val0.z,val0.y,val0.x);
}
