#include <metal_stdlib>
using namespace metal;
kernel void matmul(device float* data0, device float* data1, device float* data2) {
  for (int ridx0 = 0; ridx0 < 16; ridx0++) {
    for (int ridx1 = 0; ridx1 < 8; ridx1++) {
      float acc0 = 0.0f;
      for (int ridx2 = 0; ridx2 < 32; ridx2++) {
        float val0 = data1[ridx0*32+ridx2];
        float val1 = data2[ridx2*8+ridx1];
        acc0 = acc0+val0*val1;
      }
      data0[ridx0*8+ridx1] = acc0;
    }
  }
}
