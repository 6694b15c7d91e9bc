#include <metal_stdlib>
using namespace metal;
kernel void kernel_halves(device half* data0, device half* data1, device half* data2, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  int gidx0 = gid.x; /* 4 */
  int lidx0 = lid.x; /* 32 */
  int alu0 = gidx0*128+lidx0*4;
  half4 val0 = *(device half4*)&data1[alu0];
  half4 val1 = *(device half4*)&data2[alu0];
  *(device half4*)&data0[alu0] = half4(val0.x*2.0h+val1.x,val0.y*2.0h+val1.y,val0.z*2.0h+val1.z,val0.w*2.0h+val1.w);
}
