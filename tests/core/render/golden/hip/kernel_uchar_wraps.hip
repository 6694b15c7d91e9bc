#include <hip/hip_runtime.h>
typedef unsigned char ucharx4 __attribute__((ext_vector_type(4)));
inline __device__ ucharx4 make_ucharx4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) { return {x, y, z, w}; }
extern "C" __global__ void __launch_bounds__(1) kernel_uchar_wraps(unsigned char* data0, unsigned char* data1) {
  int gidx0 = blockIdx.x; /* 25 */
  int alu0 = gidx0*4;
  ucharx4 val0 = *(ucharx4*)&data1[alu0];
  ucharx4 cast0 = make_ucharx4((unsigned char)(val0.x*3)+200,(unsigned char)(val0.y*3)+200,(unsigned char)(val0.z*3)+200,(unsigned char)(val0.w*3)+200);
  *(ucharx4*)&data0[alu0] = cast0;
}
