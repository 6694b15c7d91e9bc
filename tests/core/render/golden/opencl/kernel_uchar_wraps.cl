__kernel void kernel_uchar_wraps(__global uchar* data0, __global uchar* data1) {
  int gidx0 = get_group_id(0); /* 25 */
  int alu0 = gidx0*4;
  uchar4 val0 = *(__global uchar4*)&data1[alu0];
  *(__global uchar4*)&data0[alu0] = (uchar4)((uchar)(val0.x*3)+200,(uchar)(val0.y*3)+200,(uchar)(val0.z*3)+200,(uchar)(val0.w*3)+200);
}
