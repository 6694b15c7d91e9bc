#include <hip/hip_runtime.h>
typedef _Float16 halfx4 __attribute__((ext_vector_type(4)));
inline __device__ halfx4 make_halfx4(_Float16 x, _Float16 y, _Float16 z, _Float16 w) { return {x, y, z, w}; }
extern "C" __global__ void __launch_bounds__(32) kernel_halves(_Float16* data0, _Float16* data1, _Float16* data2) {
  int gidx0 = blockIdx.x; /* 4 */
  int lidx0 = threadIdx.x; /* 32 */
  int alu0 = gidx0*128+lidx0*4;
  halfx4 val0 = *(halfx4*)&data1[alu0];
  halfx4 val1 = *(halfx4*)&data2[alu0];
  halfx4 cast0 = make_halfx4(val0.x*(_Float16)2.0f+val1.x,val0.y*(_Float16)2.0f+val1.y,val0.z*(_Float16)2.0f+val1.z,val0.w*(_Float16)2.0f+val1.w);
  *(halfx4*)&data0[alu0] = cast0;
}
