#include <metal_stdlib>
using namespace metal;
static float2 wmma_8_8_8_float_float(float2 a, float2 b, float2 c) {
  simdgroup_matrix<float, 8, 8> mat_a, mat_b;
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
kernel void kernel_matmul(device float* data0, device float* data1, device float* data2, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
  int gidx0 = gid.x; /* 2 */
  int lidx0 = lid.x; /* 16 */
  int lidx1 = lid.y; /* 2 */
  int lidx2 = lid.z; /* 2 */
  int alu0 = lidx0>>1&3;
  int alu1 = (lidx0>>3)*4;
  int alu2 = (lidx0&1)*2;
  int alu3 = lidx1*256;
  int alu4 = alu0*64;
  int alu5 = lidx2*32;
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
  for (int ridx7 = 0; ridx7 < 4; ridx7++) {
    int alu6 = gidx0*1024+lidx1*128+alu0*32+ridx7*8+alu1+alu2;
    float2 val0 = *(device float2*)&data1[alu6];
    float2 cast0 = float2(val0.x,val0.y);
    int alu7 = ridx7*512+alu3+alu4+alu5+alu1+alu2;
    float2 val1 = *(device float2*)&data2[alu7];
    float2 cast1 = float2(val1.x,val1.y);
    acc0 = wmma_8_8_8_float_float(cast0, cast1, acc0);
    float2 val2 = *(device float2*)&data2[alu7+8];
    float2 cast2 = float2(val2.x,val2.y);
    acc1 = wmma_8_8_8_float_float(cast0, cast2, acc1);
    float2 val3 = *(device float2*)&data2[alu7+16];
    float2 cast3 = float2(val3.x,val3.y);
    acc2 = wmma_8_8_8_float_float(cast0, cast3, acc2);
    float2 val4 = *(device float2*)&data2[alu7+24];
    float2 cast4 = float2(val4.x,val4.y);
    acc3 = wmma_8_8_8_float_float(cast0, cast4, acc3);
    float2 val5 = *(device float2*)&data1[alu6+256];
    float2 cast5 = float2(val5.x,val5.y);
    acc4 = wmma_8_8_8_float_float(cast5, cast1, acc4);
    acc5 = wmma_8_8_8_float_float(cast5, cast2, acc5);
    acc6 = wmma_8_8_8_float_float(cast5, cast3, acc6);
    acc7 = wmma_8_8_8_float_float(cast5, cast4, acc7);
    float2 val6 = *(device float2*)&data1[alu6+512];
    float2 cast6 = float2(val6.x,val6.y);
    acc8 = wmma_8_8_8_float_float(cast6, cast1, acc8);
    acc9 = wmma_8_8_8_float_float(cast6, cast2, acc9);
    acc10 = wmma_8_8_8_float_float(cast6, cast3, acc10);
    acc11 = wmma_8_8_8_float_float(cast6, cast4, acc11);
    float2 val7 = *(device float2*)&data1[alu6+768];
    float2 cast7 = float2(val7.x,val7.y);
    acc12 = wmma_8_8_8_float_float(cast7, cast1, acc12);
    acc13 = wmma_8_8_8_float_float(cast7, cast2, acc13);
    acc14 = wmma_8_8_8_float_float(cast7, cast3, acc14);
    acc15 = wmma_8_8_8_float_float(cast7, cast4, acc15);
  }
  int alu8 = gidx0*2048+alu3+alu4+alu5+alu1+alu2;
  *(device float2*)&data0[alu8] = float2(acc0.x,acc0.y);
  *(device float2*)&data0[alu8+8] = float2(acc1.x,acc1.y);
  *(device float2*)&data0[alu8+16] = float2(acc2.x,acc2.y);
  *(device float2*)&data0[alu8+24] = float2(acc3.x,acc3.y);
  *(device float2*)&data0[alu8+512] = float2(acc4.x,acc4.y);
  *(device float2*)&data0[alu8+520] = float2(acc5.x,acc5.y);
  *(device float2*)&data0[alu8+528] = float2(acc6.x,acc6.y);
  *(device float2*)&data0[alu8+536] = float2(acc7.x,acc7.y);
  *(device float2*)&data0[alu8+1024] = float2(acc8.x,acc8.y);
  *(device float2*)&data0[alu8+1032] = float2(acc9.x,acc9.y);
  *(device float2*)&data0[alu8+1040] = float2(acc10.x,acc10.y);
  *(device float2*)&data0[alu8+1048] = float2(acc11.x,acc11.y);
  *(device float2*)&data0[alu8+1536] = float2(acc12.x,acc12.y);
  *(device float2*)&data0[alu8+1544] = float2(acc13.x,acc13.y);
  *(device float2*)&data0[alu8+1552] = float2(acc14.x,acc14.y);
  *(device float2*)&data0[alu8+1560] = float2(acc15.x,acc15.y);
}
