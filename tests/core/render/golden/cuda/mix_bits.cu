extern "C" __global__ void __launch_bounds__(1) mix_bits(float* data0, unsigned int* data1, unsigned int* data2) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    unsigned int val0 = data2[ridx0];
    unsigned int val1 = data1[ridx0];
    data0[ridx0] = __uint_as_float(((val0<<13u|val0>>19u)^val1+val0)&8388607u);
  }
}
