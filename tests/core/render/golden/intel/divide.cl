__kernel void divide(__global int* data0, __global int* data1, __global int* data2) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    int val0 = data1[ridx0];
    int val1 = data2[ridx0];
    data0[ridx0] = (uint)(val1==0?0:val1==-1?(int)-(uint)val0:val0/val1)-(val1==0?0:val1==-1?0:val0%val1)+val0/3;
  }
}
