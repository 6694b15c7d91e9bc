#include <metal_stdlib>
using namespace metal;
kernel void kernel_uchar_wraps(device uchar* data0, device uchar* data1, uint3 gid [[threadgroup_position_in_grid]]) {
  int gidx0 = gid.x; /* 25 */
  int alu0 = gidx0*4;
  uchar4 val0 = *(device uchar4*)&data1[alu0];
  *(device uchar4*)&data0[alu0] = uchar4((uchar)(val0.x*3)+200,(uchar)(val0.y*3)+200,(uchar)(val0.z*3)+200,(uchar)(val0.w*3)+200);
}
