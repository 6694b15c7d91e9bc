#include <hip/hip_runtime.h>
extern "C" __global__ void __launch_bounds__(256) kernel_total(float* data0, float* data1) {
  alignas(16) __shared__ float temp0[256];
  int lidx0 = threadIdx.x; /* 256 */
  float acc0 = 0.0f;
  for (int ridx1 = 0; ridx1 < 16; ridx1++) {
    float val0 = data1[lidx0*16+ridx1];
    acc0 = acc0+val0;
  }
  temp0[lidx0] = acc0;
  __syncthreads();
  float acc1 = 0.0f;
  for (int ridx2 = 0; ridx2 < 256; ridx2++) {
    float val1 = temp0[ridx2];
    acc1 = acc1+val1;
  }
  if (!(lidx0!=0)) {
    data0[0] = acc1;
  }
}
