__kernel void kernel_masked_positions(__global float* data0, __global float* data1) {
  __local int temp0[16] __attribute__((aligned(16)));
  int gidx0 = get_group_id(0); /* 32 */
  int gidx1 = get_group_id(1); /* 8 */
  int lidx0 = get_local_id(0); /* 16 */
  int acc0 = 0;
  for (int ridx3 = 0; ridx3 < 2; ridx3++) {
    acc0 = (uint)acc0+(lidx0*2+gidx0+ridx3<31?0:1);
  }
  temp0[lidx0] = acc0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int acc1 = 0;
  for (int ridx6 = 0; ridx6 < 16; ridx6++) {
    int val0 = temp0[ridx6];
    acc1 = (uint)acc1+val0;
  }
  int alu0 = gidx1*32+gidx0;
  float val1 = data1[alu0];
  if (!(lidx0!=0)) {
    data0[alu0] = (int)((uint)acc1-1)<9?sin(val1):0.0f;
  }
}
