struct alignas(16) longx4 { long long x, y, z, w; };
__device__ __forceinline__ longx4 make_longx4(long long x, long long y, long long z, long long w) { return {x, y, z, w}; }
extern "C" __global__ void __launch_bounds__(2) kernel_long(long long* data0, long long* data1, long long* data2) {
  int gidx0 = blockIdx.x; /* 5 */
  int lidx0 = threadIdx.x; /* 2 */
  int alu0 = gidx0*8+lidx0*4;
  longx4 val0 = *(longx4*)&data1[alu0];
  longx4 val1 = *(longx4*)&data2[alu0];
  long long alu1 = (unsigned long long)val0.x*val1.x+1ll;
  long long alu2 = (unsigned long long)val0.y*val1.y+1ll;
  long long alu3 = (unsigned long long)val0.z*val1.z+1ll;
  long long alu4 = (unsigned long long)val0.w*val1.w+1ll;
  *(longx4*)&data0[alu0] = make_longx4(alu1,alu2,alu3,alu4);
}
