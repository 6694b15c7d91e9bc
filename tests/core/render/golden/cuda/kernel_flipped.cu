extern "C" __global__ void __launch_bounds__(4) kernel_flipped(float* data0, float* data1) {
  int gidx0 = blockIdx.x; /* 15 */
  int lidx0 = threadIdx.x; /* 4 */
  float4 val0 = *(float4*)&data1[gidx0*-16+lidx0*-4+236];
  *(float4*)&data0[gidx0*16+lidx0*4] = make_float4(val0.w,val0.z,val0.y,val0.x);
}
