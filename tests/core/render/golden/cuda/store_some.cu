extern "C" __global__ void __launch_bounds__(1) store_some(bool* data0, bool* data1) {
  for (int ridx0 = 0; ridx0 < 10; ridx0++) {
    if (2<ridx0) {
      bool val0 = data1[ridx0];
      data0[ridx0] = !val0;
    }
  }
}
