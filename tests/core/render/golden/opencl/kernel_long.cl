__kernel void kernel_long(__global long* data0, __global long* data1, __global long* data2) {
  int gidx0 = get_group_id(0); /* 5 */
  int lidx0 = get_local_id(0); /* 2 */
  int alu0 = gidx0*8+lidx0*4;
  long4 val0 = *(__global long4*)&data1[alu0];
  long4 val1 = *(__global long4*)&data2[alu0];
  *(__global long4*)&data0[alu0] = (long4)((ulong)val0.x*val1.x+1l,(ulong)val0.y*val1.y+1l,(ulong)val0.z*val1.z+1l,(ulong)val0.w*val1.w+1l);
}
