extern "C" __global__ void __launch_bounds__(32) kernel_add(float* data0, float* data1, float* data2) {
  int gidx0 = blockIdx.x; /* 8 */
  int lidx0 = threadIdx.x; /* 32 */
  int alu0 = gidx0*128+lidx0*4;
  float4 val0 = *(float4*)&data1[alu0];
  float4 val1 = *(float4*)&data2[alu0];
  *(float4*)&data0[alu0] = make_float4(val0.x+val1.x,val0.y+val1.y,val0.z+val1.z,val0.w+val1.w);
}
