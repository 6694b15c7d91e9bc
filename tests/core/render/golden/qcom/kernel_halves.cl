#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void kernel_halves(__global half* data0, __global half* data1, __global half* data2) {
  int gidx0 = get_group_id(0); /* 4 */
  int lidx0 = get_local_id(0); /* 32 */
  int alu0 = gidx0*128+lidx0*4;
  half4 val0 = *(__global half4*)&data1[alu0];
  half4 val1 = *(__global half4*)&data2[alu0];
  *(__global half4*)&data0[alu0] = (half4)(val0.x*2.0h+val1.x,val0.y*2.0h+val1.y,val0.z*2.0h+val1.z,val0.w*2.0h+val1.w);
}
