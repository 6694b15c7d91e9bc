#include <metal_stdlib>
using namespace metal;
kernel void kernel_variable_length(device float* data0, device float* data1, constant int& n, uint3 lid [[thread_position_in_threadgroup]]) {
  int lidx0 = lid.x; /* 16 */
  float acc0 = 0.0f;
  for (int ridx1 = 0; ridx1 < n; ridx1++) {
    float val0 = data1[ridx1*16+lidx0];
    acc0 = acc0+val0;
  }
  data0[lidx0] = acc0;
}
