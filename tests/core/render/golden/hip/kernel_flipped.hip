#include <hip/hip_runtime.h>
typedef float floatx4 __attribute__((ext_vector_type(4)));
inline __device__ floatx4 make_floatx4(float x, float y, float z, float w) { return {x, y, z, w}; }
extern "C" __global__ void __launch_bounds__(4) kernel_flipped(float* data0, float* data1) {
  int gidx0 = blockIdx.x; /* 15 */
  int lidx0 = threadIdx.x; /* 4 */
  floatx4 val0 = *(floatx4*)&data1[gidx0*-16+lidx0*-4+236];
  *(floatx4*)&data0[gidx0*16+lidx0*4] = make_floatx4(val0.w,val0.z,val0.y,val0.x);
}
