#include <metal_stdlib>
using namespace metal;
kernel void kernel_convolution(device float* data0, device float* data1, device float* data2, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  int gidx0 = gid.x; /* 4 */
  int lidx0 = lid.x; /* 2 */
  int lidx1 = lid.y; /* 16 */
  int lidx2 = lid.z; /* 4 */
  int alu0 = lidx1*16;
  int alu1 = lidx2*4;
  bool alu2 = !(lidx1<1);
  bool alu3 = !(lidx2<1);
  bool alu4 = lidx1<15;
  bool alu5 = lidx2<3;
  float acc0 = 0.0f;
  float acc1 = 0.0f;
  float acc2 = 0.0f;
  float acc3 = 0.0f;
  for (int ridx4 = 0; ridx4 < 4; ridx4++) {
    int alu6 = ridx4*256+alu0+alu1;
    float val0 = alu2&alu3?data1[alu6-17]:0.0f;
    int alu7 = gidx0*72+lidx0*36+ridx4*9;
    float val1 = data2[alu7];
    float val2 = alu3?data1[alu6-1]:0.0f;
    float val3 = data2[alu7+3];
    float val4 = alu4&alu3?data1[alu6+15]:0.0f;
    float val5 = data2[alu7+6];
    float4 val6 = alu2?*(device float4*)&data1[alu6-16]:float4(0.0f,0.0f,0.0f,0.0f);
    float val7 = data2[alu7+1];
    float4 val8 = *(device float4*)&data1[alu6];
    float val9 = data2[alu7+4];
    float4 val10 = alu4?*(device float4*)&data1[alu6+16]:float4(0.0f,0.0f,0.0f,0.0f);
    float val11 = data2[alu7+7];
    float val12 = data2[alu7+2];
    float val13 = data2[alu7+5];
    float val14 = data2[alu7+8];
    acc0 = acc0+(val0*val1+val2*val3+val4*val5+val6.x*val7+val8.x*val9+val10.x*val11+val6.y*val12+val8.y*val13+val10.y*val14);
    float alu8 = acc1+(val6.x*val1+val8.x*val3+val10.x*val5+val6.y*val7+val8.y*val9+val10.y*val11+val6.z*val12+val8.z*val13+val10.z*val14);
    acc1 = alu8;
    float alu9 = acc2+(val6.y*val1+val8.y*val3+val10.y*val5+val6.z*val7+val8.z*val9+val10.z*val11+val6.w*val12+val8.w*val13+val10.w*val14);
    acc2 = alu9;
    float val15 = alu2&alu5?data1[alu6-12]:0.0f;
    float val16 = alu5?data1[alu6+4]:0.0f;
    float val17 = alu4&alu5?data1[alu6+20]:0.0f;
    acc3 = acc3+(val6.z*val1+val8.z*val3+val10.z*val5+val6.w*val7+val8.w*val9+val10.w*val11+val15*val12+val16*val13+val17*val14);
  }
  *(device float4*)&data0[gidx0*512+lidx0*256+alu0+alu1] = float4(acc0<0.0f?0.0f:acc0,acc1<0.0f?0.0f:acc1,acc2<0.0f?0.0f:acc2,acc3<0.0f?0.0f:acc3);
}
