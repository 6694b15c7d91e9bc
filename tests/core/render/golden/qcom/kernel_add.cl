__kernel void kernel_add(__global float* data0, __global float* data1, __global float* data2) {
  int gidx0 = get_group_id(0); /* 8 */
  int lidx0 = get_local_id(0); /* 32 */
  int alu0 = gidx0*128+lidx0*4;
  float4 val0 = *(__global float4*)&data1[alu0];
  float4 val1 = *(__global float4*)&data2[alu0];
  *(__global float4*)&data0[alu0] = (float4)(val0.x+val1.x,val0.y+val1.y,val0.z+val1.z,val0.w+val1.w);
}
