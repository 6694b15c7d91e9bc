void mix_bits(float* restrict data0, unsigned int* restrict data1, unsigned int* restrict data2) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    unsigned int val0 = data2[ridx0];
    unsigned int val1 = data1[ridx0];
    data0[ridx0] = (union{unsigned int a;float b;}){((val0<<13u|val0>>19u)^val1+val0)&8388607u}.b;
  }
}
