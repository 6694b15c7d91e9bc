#include <hip/hip_runtime.h>
extern "C" __global__ void __launch_bounds__(1) convert(float* data0, double* data1) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    double val0 = data1[ridx0];
    data0[ridx0] = (float)(_Float16)val0+(float)(unsigned char)(int)val0+((float)(unsigned int)(long long)val0+(float)(val0!=0));
  }
}
