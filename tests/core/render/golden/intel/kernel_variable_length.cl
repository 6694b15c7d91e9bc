__kernel void kernel_variable_length(__global float* data0, __global float* data1, const int n) {
  int lidx0 = get_local_id(0); /* 16 */
  float acc0 = 0.0f;
  for (int ridx1 = 0; ridx1 < n; ridx1++) {
    float val0 = data1[ridx1*16+lidx0];
    acc0 = acc0+val0;
  }
  data0[lidx0] = acc0;
}
