__kernel void kernel_padded(__global float* data0, __global float* data1) {
  int lidx0 = get_local_id(0); /* 16 */
  int lidx1 = get_local_id(1); /* 2 */
  int alu0 = lidx1*4;
  int alu1 = lidx0*7+alu0;
  bool alu2 = !(lidx0<1)&lidx0<14;
  float val0 = alu2?data1[alu1-7]:0.0f;
  float val1 = alu2?data1[alu1-6]:0.0f;
  float val2 = alu2?data1[alu1-5]:0.0f;
  float val3 = alu2&lidx1<1?data1[alu1-4]:0.0f;
  *(__global float4*)&data0[lidx0*8+alu0] = (float4)(val0+1.0f,val1+1.0f,val2+1.0f,val3+1.0f);
}
