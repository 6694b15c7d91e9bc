#include <metal_stdlib>
using namespace metal;
static float2 wmma_8_8_8_half_float(half2 a, half2 b, float2 c) {
  simdgroup_matrix<half, 8, 8> mat_a, mat_b;
  simdgroup_matrix<float, 8, 8> mat_c;
  mat_a.thread_elements()[0] = a.x;
  mat_a.thread_elements()[1] = a.y;
  mat_b.thread_elements()[0] = b.x;
  mat_b.thread_elements()[1] = b.y;
  mat_c.thread_elements()[0] = c.x;
  mat_c.thread_elements()[1] = c.y;
  simdgroup_multiply_accumulate(mat_c, mat_a, mat_b, mat_c);
  return float2(mat_c.thread_elements()[0], mat_c.thread_elements()[1]);
}
kernel void kernel_half_product(device float* data0, device half* data1, device half* data2, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  int gidx0 = gid.x; /* 2 */
  int lidx0 = lid.x; /* 16 */
  int lidx1 = lid.y; /* 2 */
  int lidx2 = lid.z; /* 2 */
  int alu0 = lidx0>>1&3;
  int alu1 = gidx0*2048+lidx1*256+alu0*64;
  int alu2 = lidx0>>3;
  int alu3 = alu2*4;
  int alu4 = lidx0&1;
  int alu5 = alu4*2;
  float2 acc0 = float2(0.0f,0.0f);
  float2 acc1 = float2(0.0f,0.0f);
  float2 acc2 = float2(0.0f,0.0f);
  float2 acc3 = float2(0.0f,0.0f);
  float2 acc4 = float2(0.0f,0.0f);
  float2 acc5 = float2(0.0f,0.0f);
  float2 acc6 = float2(0.0f,0.0f);
  float2 acc7 = float2(0.0f,0.0f);
  float2 acc8 = float2(0.0f,0.0f);
  float2 acc9 = float2(0.0f,0.0f);
  float2 acc10 = float2(0.0f,0.0f);
  float2 acc11 = float2(0.0f,0.0f);
  float2 acc12 = float2(0.0f,0.0f);
  float2 acc13 = float2(0.0f,0.0f);
  float2 acc14 = float2(0.0f,0.0f);
  float2 acc15 = float2(0.0f,0.0f);
  for (int ridx7 = 0; ridx7 < 8; ridx7++) {
    int alu6 = ridx7*8;
    int alu7 = alu1+alu6+alu3+alu5;
    half2 val0 = *(device half2*)&data1[alu7];
    half2 cast0 = half2(val0.x,val0.y);
    int alu8 = lidx2*2048+alu2*256+alu4*128+alu6+lidx1*4+alu0;
    half val1 = data2[alu8];
    half val2 = data2[alu8+64];
    half2 cast1 = half2(val1,val2);
    acc0 = wmma_8_8_8_half_float(cast0, cast1, acc0);
    half val3 = data2[alu8+512];
    half val4 = data2[alu8+576];
    half2 cast2 = half2(val3,val4);
    acc1 = wmma_8_8_8_half_float(cast0, cast2, acc1);
    half val5 = data2[alu8+1024];
    half val6 = data2[alu8+1088];
    half2 cast3 = half2(val5,val6);
    acc2 = wmma_8_8_8_half_float(cast0, cast3, acc2);
    half val7 = data2[alu8+1536];
    half val8 = data2[alu8+1600];
    half2 cast4 = half2(val7,val8);
    acc3 = wmma_8_8_8_half_float(cast0, cast4, acc3);
    half2 val9 = *(device half2*)&data1[alu7+512];
    half2 cast5 = half2(val9.x,val9.y);
    acc4 = wmma_8_8_8_half_float(cast5, cast1, acc4);
    acc5 = wmma_8_8_8_half_float(cast5, cast2, acc5);
    acc6 = wmma_8_8_8_half_float(cast5, cast3, acc6);
    acc7 = wmma_8_8_8_half_float(cast5, cast4, acc7);
    half2 val10 = *(device half2*)&data1[alu7+1024];
    half2 cast6 = half2(val10.x,val10.y);
    acc8 = wmma_8_8_8_half_float(cast6, cast1, acc8);
    acc9 = wmma_8_8_8_half_float(cast6, cast2, acc9);
    acc10 = wmma_8_8_8_half_float(cast6, cast3, acc10);
    acc11 = wmma_8_8_8_half_float(cast6, cast4, acc11);
    half2 val11 = *(device half2*)&data1[alu7+1536];
    half2 cast7 = half2(val11.x,val11.y);
    acc12 = wmma_8_8_8_half_float(cast7, cast1, acc12);
    acc13 = wmma_8_8_8_half_float(cast7, cast2, acc13);
    acc14 = wmma_8_8_8_half_float(cast7, cast3, acc14);
    acc15 = wmma_8_8_8_half_float(cast7, cast4, acc15);
  }
  int alu9 = alu1+lidx2*32+alu3+alu5;
  *(device float2*)&data0[alu9] = float2(acc0.x,acc0.y);
  *(device float2*)&data0[alu9+8] = float2(acc1.x,acc1.y);
  *(device float2*)&data0[alu9+16] = float2(acc2.x,acc2.y);
  *(device float2*)&data0[alu9+24] = float2(acc3.x,acc3.y);
  *(device float2*)&data0[alu9+512] = float2(acc4.x,acc4.y);
  *(device float2*)&data0[alu9+520] = float2(acc5.x,acc5.y);
  *(device float2*)&data0[alu9+528] = float2(acc6.x,acc6.y);
  *(device float2*)&data0[alu9+536] = float2(acc7.x,acc7.y);
  *(device float2*)&data0[alu9+1024] = float2(acc8.x,acc8.y);
  *(device float2*)&data0[alu9+1032] = float2(acc9.x,acc9.y);
  *(device float2*)&data0[alu9+1040] = float2(acc10.x,acc10.y);
  *(device float2*)&data0[alu9+1048] = float2(acc11.x,acc11.y);
  *(device float2*)&data0[alu9+1536] = float2(acc12.x,acc12.y);
  *(device float2*)&data0[alu9+1544] = float2(acc13.x,acc13.y);
  *(device float2*)&data0[alu9+1552] = float2(acc14.x,acc14.y);
  *(device float2*)&data0[alu9+1560] = float2(acc15.x,acc15.y);
}
