#include <hip/hip_runtime.h>
extern "C" __global__ void __launch_bounds__(16) kernel_sum(float* data0, float* data1) {
  alignas(16) __shared__ float temp0[16];
  int gidx0 = blockIdx.x; /* 64 */
  int lidx0 = threadIdx.x; /* 16 */
  float acc0 = 0.0f;
  for (int ridx2 = 0; ridx2 < 64; ridx2++) {
    float val0 = data1[gidx0*1024+lidx0*64+ridx2];
    acc0 = acc0+val0;
  }
  temp0[lidx0] = acc0;
  __syncthreads();
  float acc1 = 0.0f;
  for (int ridx4 = 0; ridx4 < 16; ridx4++) {
    float val1 = temp0[ridx4];
    acc1 = acc1+val1;
  }
  if (!(lidx0!=0)) {
    data0[gidx0] = acc1;
  }
}
