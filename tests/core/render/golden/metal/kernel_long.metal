#include <metal_stdlib>
using namespace metal;
kernel void kernel_long(device long* data0, device long* data1, device long* data2, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  int gidx0 = gid.x; /* 5 */
  int lidx0 = lid.x; /* 2 */
  int alu0 = gidx0*8+lidx0*4;
  long4 val0 = *(device long4*)&data1[alu0];
  long4 val1 = *(device long4*)&data2[alu0];
  *(device long4*)&data0[alu0] = long4((ulong)val0.x*val1.x+1l,(ulong)val0.y*val1.y+1l,(ulong)val0.z*val1.z+1l,(ulong)val0.w*val1.w+1l);
}
