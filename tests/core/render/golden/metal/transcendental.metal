#include <metal_stdlib>
using namespace metal;
kernel void transcendental(device float* data0, device float* data1) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    float val0 = data1[ridx0];
    data0[ridx0] = 1/(precise::exp2(val0*-1.442695f)+1.0f)*precise::sin(val0)+precise::log2(precise::sqrt(val0));
  }
}
