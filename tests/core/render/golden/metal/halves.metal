#include <metal_stdlib>
using namespace metal;
kernel void halves(device half* data0, device half* data1, device half* data2) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    half val0 = data1[ridx0];
    half val1 = data2[ridx0];
    half alu0 = val0*val1+0.1h;
    data0[ridx0] = alu0<-0.0h?-0.0h:alu0;
  }
}
