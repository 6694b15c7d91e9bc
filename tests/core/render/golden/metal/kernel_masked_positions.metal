#include <metal_stdlib>
using namespace metal;
kernel void kernel_masked_positions(device float* data0, device float* data1, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  alignas(16) threadgroup int temp0[16];
  int gidx0 = gid.x; /* 32 */
  int gidx1 = gid.y; /* 8 */
  int lidx0 = lid.x; /* 16 */
  int acc0 = 0;
  for (int ridx3 = 0; ridx3 < 2; ridx3++) {
    acc0 = (uint)acc0+(lidx0*2+gidx0+ridx3<31?0:1);
  }
  temp0[lidx0] = acc0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  int acc1 = 0;
  for (int ridx6 = 0; ridx6 < 16; ridx6++) {
    int val0 = temp0[ridx6];
    acc1 = (uint)acc1+val0;
  }
  int alu0 = gidx1*32+gidx0;
  float val1 = data1[alu0];
  if (!(lidx0!=0)) {
    data0[alu0] = (int)((uint)acc1-1)<9?precise::sin(val1):0.0f;
  }
}
