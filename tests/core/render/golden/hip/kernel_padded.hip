#include <hip/hip_runtime.h>
typedef float floatx4 __attribute__((ext_vector_type(4)));
inline __device__ floatx4 make_floatx4(float x, float y, float z, float w) { return {x, y, z, w}; }
extern "C" __global__ void __launch_bounds__(32) kernel_padded(float* data0, float* data1) {
  int lidx0 = threadIdx.x; /* 16 */
  int lidx1 = threadIdx.y; /* 2 */
  int alu0 = lidx1*4;
  int alu1 = lidx0*7+alu0;
  bool alu2 = !(lidx0<1)&lidx0<14;
  float val0 = alu2?data1[alu1-7]:0.0f;
  float val1 = alu2?data1[alu1-6]:0.0f;
  float val2 = alu2?data1[alu1-5]:0.0f;
  float val3 = alu2&lidx1<1?data1[alu1-4]:0.0f;
  *(floatx4*)&data0[lidx0*8+alu0] = make_floatx4(val0+1.0f,val1+1.0f,val2+1.0f,val3+1.0f);
}
