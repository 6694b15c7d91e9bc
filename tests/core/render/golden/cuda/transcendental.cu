extern "C" __global__ void __launch_bounds__(1) transcendental(float* data0, float* data1) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    float val0 = data1[ridx0];
    data0[ridx0] = 1/(exp2f(val0*-1.442695f)+1.0f)*sinf(val0)+log2f(sqrtf(val0));
  }
}
