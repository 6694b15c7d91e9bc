__kernel void kernel_sum(__global float* data0, __global float* data1) {
  __local float temp0[16] __attribute__((aligned(16)));
  int gidx0 = get_group_id(0); /* 64 */
  int lidx0 = get_local_id(0); /* 16 */
  float acc0 = 0.0f;
  for (int ridx2 = 0; ridx2 < 64; ridx2++) {
    float val0 = data1[gidx0*1024+lidx0*64+ridx2];
    acc0 = acc0+val0;
  }
  temp0[lidx0] = acc0;
  barrier(CLK_LOCAL_MEM_FENCE);
  float acc1 = 0.0f;
  for (int ridx4 = 0; ridx4 < 16; ridx4++) {
    float val1 = temp0[ridx4];
    acc1 = acc1+val1;
  }
  if (!(lidx0!=0)) {
    data0[gidx0] = acc1;
  }
}
