extern "C" __global__ void __launch_bounds__(1) greatest(float* data0, float* data1) {
  float acc0 = -__int_as_float(0x7f800000);
  for (int ridx0 = 0; ridx0 < 100; ridx0++) {
    float val0 = data1[ridx0];
    acc0 = acc0<val0?val0:acc0;
  }
  data0[0] = acc0;
}
