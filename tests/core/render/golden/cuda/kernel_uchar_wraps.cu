extern "C" __global__ void __launch_bounds__(1) kernel_uchar_wraps(unsigned char* data0, unsigned char* data1) {
  int gidx0 = blockIdx.x; /* 25 */
  int alu0 = gidx0*4;
  uchar4 val0 = *(uchar4*)&data1[alu0];
  uchar4 cast0 = make_uchar4((unsigned char)(val0.x*3)+200,(unsigned char)(val0.y*3)+200,(unsigned char)(val0.z*3)+200,(unsigned char)(val0.w*3)+200);
  *(uchar4*)&data0[alu0] = cast0;
}
