#include <metal_stdlib>
using namespace metal;
kernel void kernel_padded(device float* data0, device float* data1, uint3 lid [[thread_position_in_threadgroup]]) {
  int lidx0 = lid.x; /* 16 */
  int lidx1 = lid.y; /* 2 */
  int alu0 = lidx1*4;
  int alu1 = lidx0*7+alu0;
  bool alu2 = !(lidx0<1)&lidx0<14;
  float val0 = alu2?data1[alu1-7]:0.0f;
  float val1 = alu2?data1[alu1-6]:0.0f;
  float val2 = alu2?data1[alu1-5]:0.0f;
  float val3 = alu2&lidx1<1?data1[alu1-4]:0.0f;
  *(device float4*)&data0[lidx0*8+alu0] = float4(val0+1.0f,val1+1.0f,val2+1.0f,val3+1.0f);
}
