void kernel_variable_length(float* restrict data0, float* restrict data1, const int n) {
  for (int ridx0 = 0; ridx0 < 16; ridx0++) {
    float acc0 = 0.0f;
    for (int ridx1 = 0; ridx1 < n; ridx1++) {
      float val0 = data1[ridx1*16+ridx0];
      acc0 = acc0+val0;
    }
    data0[ridx0] = acc0;
  }
}
