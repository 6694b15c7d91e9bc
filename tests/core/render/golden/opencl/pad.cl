__kernel void pad(__global float* data0, __global float* data1) {
  for (int ridx0 = 0; ridx0 < 10; ridx0++) {
    float val0 = ridx0<7?data1[ridx0]:0.0f;
    data0[ridx0] = val0;
  }
}
