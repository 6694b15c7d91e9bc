#include <hip/hip_runtime.h>
typedef int intx4 __attribute__((ext_vector_type(4)));
inline __device__ intx4 make_intx4(int x, int y, int z, int w) { return {x, y, z, w}; }
extern "C" __global__ void __launch_bounds__(1) kernel_divide(int* data0, int* data1, int* data2) {
  int gidx0 = blockIdx.x; /* 25 */
  int alu0 = gidx0*4;
  intx4 val0 = *(intx4*)&data1[alu0];
  intx4 val1 = *(intx4*)&data2[alu0];
  int alu1 = (unsigned int)(val1.x==0?0:val1.x==-1?(int)-(unsigned int)val0.x:val0.x/val1.x)+val0.x%7;
  int alu2 = (unsigned int)(val1.y==0?0:val1.y==-1?(int)-(unsigned int)val0.y:val0.y/val1.y)+val0.y%7;
  int alu3 = (unsigned int)(val1.z==0?0:val1.z==-1?(int)-(unsigned int)val0.z:val0.z/val1.z)+val0.z%7;
  int alu4 = (unsigned int)(val1.w==0?0:val1.w==-1?(int)-(unsigned int)val0.w:val0.w/val1.w)+val0.w%7;
  *(intx4*)&data0[alu0] = make_intx4(alu1,alu2,alu3,alu4);
}
