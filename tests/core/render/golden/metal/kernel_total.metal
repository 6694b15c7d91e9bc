#include <metal_stdlib>
using namespace metal;
kernel void kernel_total(device float* data0, device float* data1, uint3 lid [[thread_position_in_threadgroup]]) {
  alignas(16) threadgroup float temp0[256];
  int lidx0 = lid.x; /* 256 */
  float acc0 = 0.0f;
  for (int ridx1 = 0; ridx1 < 16; ridx1++) {
    float val0 = data1[lidx0*16+ridx1];
    acc0 = acc0+val0;
  }
  temp0[lidx0] = acc0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float acc1 = 0.0f;
  for (int ridx2 = 0; ridx2 < 256; ridx2++) {
    float val1 = temp0[ridx2];
    acc1 = acc1+val1;
  }
  if (!(lidx0!=0)) {
    data0[0] = acc1;
  }
}
