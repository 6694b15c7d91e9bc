#include <metal_stdlib>
using namespace metal;
kernel void add_vectors(device float* data0, device float* data1, device float* data2) {
  for (int ridx0 = 0; ridx0 < 64; ridx0++) {
    int alu0 = ridx0*4;
    float4 val0 = *(device float4*)&data1[alu0];
    float4 val1 = *(device float4*)&data2[alu0];
    *(device float4*)&data0[alu0] = float4(val0.x+val1.x,val0.y+val1.y,val0.z+val1.z,val0.w+val1.w);
  }
}
