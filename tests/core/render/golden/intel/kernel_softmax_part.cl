__kernel void kernel_softmax_part(__global float* data0, __global float* data1, __global float* data2) {
  __local float temp0[16] __attribute__((aligned(16)));
  int gidx0 = get_group_id(0); /* 32 */
  int lidx0 = get_local_id(0); /* 16 */
  float val0 = data2[gidx0];
  float acc0 = 0.0f;
  for (int ridx2 = 0; ridx2 < 8; ridx2++) {
    float val1 = data1[gidx0*128+lidx0*8+ridx2];
    acc0 = acc0+exp2((val1-val0)*1.442695f);
  }
  temp0[lidx0] = acc0;
  barrier(CLK_LOCAL_MEM_FENCE);
  float acc1 = 0.0f;
  for (int ridx4 = 0; ridx4 < 16; ridx4++) {
    float val2 = temp0[ridx4];
    acc1 = acc1+val2;
  }
  if (!(lidx0!=0)) {
    data0[gidx0] = acc1;
  }
}
