#include <hip/hip_runtime.h>
extern "C" __global__ void __launch_bounds__(1) divide(int* data0, int* data1, int* data2) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    int val0 = data1[ridx0];
    int val1 = data2[ridx0];
    data0[ridx0] = (unsigned int)(val1==0?0:val1==-1?(int)-(unsigned int)val0:val0/val1)-(val1==0?0:val1==-1?0:val0%val1)+val0/3;
  }
}
