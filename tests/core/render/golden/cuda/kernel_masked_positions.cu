extern "C" __global__ void __launch_bounds__(16) kernel_masked_positions(float* data0, float* data1) {
  alignas(16) __shared__ int temp0[16];
  int gidx0 = blockIdx.x; /* 32 */
  int gidx1 = blockIdx.y; /* 8 */
  int lidx0 = threadIdx.x; /* 16 */
  int acc0 = 0;
  for (int ridx3 = 0; ridx3 < 2; ridx3++) {
    acc0 = (unsigned int)acc0+(lidx0*2+gidx0+ridx3<31?0:1);
  }
  temp0[lidx0] = acc0;
  __syncthreads();
  int acc1 = 0;
  for (int ridx6 = 0; ridx6 < 16; ridx6++) {
    int val0 = temp0[ridx6];
    acc1 = (unsigned int)acc1+val0;
  }
  int alu0 = gidx1*32+gidx0;
  float val1 = data1[alu0];
  if (!(lidx0!=0)) {
    data0[alu0] = (int)((unsigned int)acc1-1)<9?sinf(val1):0.0f;
  }
}
