#include <metal_stdlib>
using namespace metal;
kernel void kernel_divide(device int* data0, device int* data1, device int* data2, uint3 gid [[threadgroup_position_in_grid]]) {
  int gidx0 = gid.x; /* 25 */
  int alu0 = gidx0*4;
  int4 val0 = *(device int4*)&data1[alu0];
  int4 val1 = *(device int4*)&data2[alu0];
  int alu1 = (uint)(val1.x==0?0:val1.x==-1?(int)-(uint)val0.x:val0.x/val1.x)+val0.x%7;
  int alu2 = (uint)(val1.y==0?0:val1.y==-1?(int)-(uint)val0.y:val0.y/val1.y)+val0.y%7;
  int alu3 = (uint)(val1.z==0?0:val1.z==-1?(int)-(uint)val0.z:val0.z/val1.z)+val0.z%7;
  int alu4 = (uint)(val1.w==0?0:val1.w==-1?(int)-(uint)val0.w:val0.w/val1.w)+val0.w%7;
  *(device int4*)&data0[alu0] = int4(alu1,alu2,alu3,alu4);
}
