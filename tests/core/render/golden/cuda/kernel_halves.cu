#include <cuda_fp16.h>
struct alignas(8) halfx4 { half x, y, z, w; };
__device__ __forceinline__ halfx4 make_halfx4(half x, half y, half z, half w) { return {x, y, z, w}; }
extern "C" __global__ void __launch_bounds__(32) kernel_halves(half* data0, half* data1, half* data2) {
  int gidx0 = blockIdx.x; /* 4 */
  int lidx0 = threadIdx.x; /* 32 */
  int alu0 = gidx0*128+lidx0*4;
  halfx4 val0 = *(halfx4*)&data1[alu0];
  halfx4 val1 = *(halfx4*)&data2[alu0];
  *(halfx4*)&data0[alu0] = make_halfx4(val0.x*(half)2.0f+val1.x,val0.y*(half)2.0f+val1.y,val0.z*(half)2.0f+val1.z,val0.w*(half)2.0f+val1.w);
}
