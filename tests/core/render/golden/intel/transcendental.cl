__kernel void transcendental(__global float* data0, __global float* data1) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    float val0 = data1[ridx0];
    data0[ridx0] = 1/(exp2(val0*-1.442695f)+1.0f)*sin(val0)+log2(sqrt(val0));
  }
}
