__kernel void kernel_total(__global float* data0, __global float* data1) {
  __local float temp0[256] __attribute__((aligned(16)));
  int lidx0 = get_local_id(0); /* 256 */
  float acc0 = 0.0f;
  for (int ridx1 = 0; ridx1 < 16; ridx1++) {
    float val0 = data1[lidx0*16+ridx1];
    acc0 = acc0+val0;
  }
  temp0[lidx0] = acc0;
  barrier(CLK_LOCAL_MEM_FENCE);
  float acc1 = 0.0f;
  for (int ridx2 = 0; ridx2 < 256; ridx2++) {
    float val1 = temp0[ridx2];
    acc1 = acc1+val1;
  }
  if (!(lidx0!=0)) {
    data0[0] = acc1;
  }
}
