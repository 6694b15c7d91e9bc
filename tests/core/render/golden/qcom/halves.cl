#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void halves(__global half* data0, __global half* data1, __global half* data2) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    half val0 = data1[ridx0];
    half val1 = data2[ridx0];
    half alu0 = val0*val1+0.1h;
    data0[ridx0] = alu0<-0.0h?-0.0h:alu0;
  }
}
