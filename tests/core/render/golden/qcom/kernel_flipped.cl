__kernel void kernel_flipped(__global float* data0, __global float* data1) {
  int gidx0 = get_group_id(0); /* 15 */
  int lidx0 = get_local_id(0); /* 4 */
  float4 val0 = *(__global float4*)&data1[gidx0*-16+lidx0*-4+236];
  *(__global float4*)&data0[gidx0*16+lidx0*4] = (float4)(val0.w,val0.z,val0.y,val0.x);
}
