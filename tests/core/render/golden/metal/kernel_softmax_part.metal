#include <metal_stdlib>
using namespace metal;
kernel void kernel_softmax_part(device float* data0, device float* data1, device float* data2, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  alignas(16) threadgroup float temp0[16];
  int gidx0 = gid.x; /* 32 */
  int lidx0 = lid.x; /* 16 */
  float val0 = data2[gidx0];
  float acc0 = 0.0f;
  for (int ridx2 = 0; ridx2 < 8; ridx2++) {
    float val1 = data1[gidx0*128+lidx0*8+ridx2];
    acc0 = acc0+precise::exp2((val1-val0)*1.442695f);
  }
  temp0[lidx0] = acc0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float acc1 = 0.0f;
  for (int ridx4 = 0; ridx4 < 16; ridx4++) {
    float val2 = temp0[ridx4];
    acc1 = acc1+val2;
  }
  if (!(lidx0!=0)) {
    data0[gidx0] = acc1;
  }
}
