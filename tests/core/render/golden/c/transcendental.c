void transcendental(float* restrict data0, float* restrict data1) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    float val0 = data1[ridx0];
    data0[ridx0] = 1/(__builtin_exp2f(val0*-1.442695f)+1.0f)*__builtin_sinf(val0)+__builtin_log2f(__builtin_sqrtf(val0));
  }
}
