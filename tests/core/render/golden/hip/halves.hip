#include <hip/hip_runtime.h>
extern "C" __global__ void __launch_bounds__(1) halves(_Float16* data0, _Float16* data1, _Float16* data2) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    _Float16 val0 = data1[ridx0];
    _Float16 val1 = data2[ridx0];
    _Float16 alu0 = val0*val1+(_Float16)0.1f;
    data0[ridx0] = alu0<(_Float16)-0.0f?(_Float16)-0.0f:alu0;
  }
}
