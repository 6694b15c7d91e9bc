__kernel void kernel_divide(__global int* data0, __global int* data1, __global int* data2) {
  int gidx0 = get_group_id(0); /* 25 */
  int alu0 = gidx0*4;
  int4 val0 = *(__global int4*)&data1[alu0];
  int4 val1 = *(__global int4*)&data2[alu0];
  int alu1 = (uint)(val1.x==0?0:val1.x==-1?(int)-(uint)val0.x:val0.x/val1.x)+val0.x%7;
  int alu2 = (uint)(val1.y==0?0:val1.y==-1?(int)-(uint)val0.y:val0.y/val1.y)+val0.y%7;
  int alu3 = (uint)(val1.z==0?0:val1.z==-1?(int)-(uint)val0.z:val0.z/val1.z)+val0.z%7;
  int alu4 = (uint)(val1.w==0?0:val1.w==-1?(int)-(uint)val0.w:val0.w/val1.w)+val0.w%7;
  *(__global int4*)&data0[alu0] = (int4)(alu1,alu2,alu3,alu4);
}
