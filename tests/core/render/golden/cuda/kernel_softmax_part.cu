extern "C" __global__ void __launch_bounds__(16) kernel_softmax_part(float* data0, float* data1, float* data2) {
  alignas(16) __shared__ float temp0[16];
  int gidx0 = blockIdx.x; /* 32 */
  int lidx0 = threadIdx.x; /* 16 */
  float val0 = data2[gidx0];
  float acc0 = 0.0f;
  for (int ridx2 = 0; ridx2 < 8; ridx2++) {
    float val1 = data1[gidx0*128+lidx0*8+ridx2];
    acc0 = acc0+exp2f((val1-val0)*1.442695f);
  }
  temp0[lidx0] = acc0;
  __syncthreads();
  float acc1 = 0.0f;
  for (int ridx4 = 0; ridx4 < 16; ridx4++) {
    float val2 = temp0[ridx4];
    acc1 = acc1+val2;
  }
  if (!(lidx0!=0)) {
    data0[gidx0] = acc1;
  }
}
