#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void convert(__global float* data0, __global double* data1) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    double val0 = data1[ridx0];
    data0[ridx0] = (float)(half)val0+(float)(uchar)(int)val0+((float)(uint)(long)val0+(float)(val0!=0));
  }
}
