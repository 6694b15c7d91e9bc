__kernel void mix_bits(__global float* data0, __global uint* data1, __global uint* data2) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    uint val0 = data2[ridx0];
    uint val1 = data1[ridx0];
    data0[ridx0] = as_float(((val0<<13u|val0>>19u)^val1+val0)&8388607u);
  }
}
