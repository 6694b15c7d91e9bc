#include <metal_stdlib>
using namespace metal;
kernel void kernel_add(device float* data0, device float* data1, device float* data2, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  int gidx0 = gid.x; /* 8 */
  int lidx0 = lid.x; /* 32 */
  int alu0 = gidx0*128+lidx0*4;
  float4 val0 = *(device float4*)&data1[alu0];
  float4 val1 = *(device float4*)&data2[alu0];
  *(device float4*)&data0[alu0] = float4(val0.x+val1.x,val0.y+val1.y,val0.z+val1.z,val0.w+val1.w);
}
