#include <metal_stdlib>
using namespace metal;
kernel void greatest(device float* data0, device float* data1) {
  float acc0 = -INFINITY;
  for (int ridx0 = 0; ridx0 < 100; ridx0++) {
    float val0 = data1[ridx0];
    acc0 = acc0<val0?val0:acc0;
  }
  data0[0] = acc0;
}
