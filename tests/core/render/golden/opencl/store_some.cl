__kernel void store_some(__global bool* data0, __global bool* data1) {
  for (int ridx0 = 0; ridx0 < 10; ridx0++) {
    if (2<ridx0) {
      bool val0 = data1[ridx0];
      data0[ridx0] = !val0;
    }
  }
}
