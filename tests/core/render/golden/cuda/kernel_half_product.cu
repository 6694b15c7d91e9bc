#include <cuda_fp16.h>
struct alignas(8) halfx4 { half x, y, z, w; };
__device__ __forceinline__ halfx4 make_halfx4(half x, half y, half z, half w) { return {x, y, z, w}; }
struct alignas(16) halfx8 { half s0, s1, s2, s3, s4, s5, s6, s7; };
__device__ __forceinline__ halfx8 make_halfx8(half s0, half s1, half s2, half s3, half s4, half s5, half s6, half s7) { return {s0, s1, s2, s3, s4, s5, s6, s7}; }
static __device__ __forceinline__ float4 wmma_8_16_16_half_float(halfx8 a, halfx4 b, float4 c) {
  const unsigned int *regs_a = (const unsigned int*)&a, *regs_b = (const unsigned int*)&b;
  float *regs_c = (float*)&c;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(regs_c[0]), "+f"(regs_c[1]), "+f"(regs_c[2]), "+f"(regs_c[3]) : "r"(regs_a[0]), "r"(regs_a[1]), "r"(regs_a[2]), "r"(regs_a[3]), "r"(regs_b[0]), "r"(regs_b[1]));
  return c;
}
extern "C" __global__ void __launch_bounds__(64) kernel_half_product(float* data0, half* data1, half* data2) {
  int lidx0 = threadIdx.x; /* 16 */
  int lidx1 = threadIdx.y; /* 2 */
  int lidx2 = threadIdx.z; /* 2 */
  int alu0 = lidx1*256;
  int alu1 = (lidx0>>2)*64;
  int alu2 = alu0+alu1;
  int alu3 = (lidx0&3)*2;
  float4 acc0 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc1 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc2 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc3 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc4 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc5 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc6 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc7 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc8 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc9 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc10 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc11 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc12 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc13 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc14 = make_float4(0.0f,0.0f,0.0f,0.0f);
  float4 acc15 = make_float4(0.0f,0.0f,0.0f,0.0f);
  for (int ridx6 = 0; ridx6 < 4; ridx6++) {
    int alu4 = ridx6*16;
    int alu5 = alu2+alu4+alu3;
    half2 val0 = *(half2*)&data1[alu5];
    half2 val1 = *(half2*)&data1[alu5+512];
    half2 val2 = *(half2*)&data1[alu5+8];
    half2 val3 = *(half2*)&data1[alu5+520];
    halfx8 cast0 = make_halfx8(val0.x,val0.y,val1.x,val1.y,val2.x,val2.y,val3.x,val3.y);
    int alu6 = lidx2*2048+alu0+alu1+alu4+alu3;
    half2 val4 = *(half2*)&data2[alu6];
    half2 val5 = *(half2*)&data2[alu6+8];
    halfx4 cast1 = make_halfx4(val4.x,val4.y,val5.x,val5.y);
    acc0 = wmma_8_16_16_half_float(cast0, cast1, acc0);
    half2 val6 = *(half2*)&data2[alu6+512];
    half2 val7 = *(half2*)&data2[alu6+520];
    halfx4 cast2 = make_halfx4(val6.x,val6.y,val7.x,val7.y);
    acc1 = wmma_8_16_16_half_float(cast0, cast2, acc1);
    half2 val8 = *(half2*)&data2[alu6+1024];
    half2 val9 = *(half2*)&data2[alu6+1032];
    halfx4 cast3 = make_halfx4(val8.x,val8.y,val9.x,val9.y);
    acc2 = wmma_8_16_16_half_float(cast0, cast3, acc2);
    half2 val10 = *(half2*)&data2[alu6+1536];
    half2 val11 = *(half2*)&data2[alu6+1544];
    halfx4 cast4 = make_halfx4(val10.x,val10.y,val11.x,val11.y);
    acc3 = wmma_8_16_16_half_float(cast0, cast4, acc3);
    half2 val12 = *(half2*)&data1[alu5+1024];
    half2 val13 = *(half2*)&data1[alu5+1536];
    half2 val14 = *(half2*)&data1[alu5+1032];
    half2 val15 = *(half2*)&data1[alu5+1544];
    halfx8 cast5 = make_halfx8(val12.x,val12.y,val13.x,val13.y,val14.x,val14.y,val15.x,val15.y);
    acc4 = wmma_8_16_16_half_float(cast5, cast1, acc4);
    acc5 = wmma_8_16_16_half_float(cast5, cast2, acc5);
    acc6 = wmma_8_16_16_half_float(cast5, cast3, acc6);
    acc7 = wmma_8_16_16_half_float(cast5, cast4, acc7);
    half2 val16 = *(half2*)&data1[alu5+2048];
    half2 val17 = *(half2*)&data1[alu5+2560];
    half2 val18 = *(half2*)&data1[alu5+2056];
    half2 val19 = *(half2*)&data1[alu5+2568];
    halfx8 cast6 = make_halfx8(val16.x,val16.y,val17.x,val17.y,val18.x,val18.y,val19.x,val19.y);
    acc8 = wmma_8_16_16_half_float(cast6, cast1, acc8);
    acc9 = wmma_8_16_16_half_float(cast6, cast2, acc9);
    acc10 = wmma_8_16_16_half_float(cast6, cast3, acc10);
    acc11 = wmma_8_16_16_half_float(cast6, cast4, acc11);
    half2 val20 = *(half2*)&data1[alu5+3072];
    half2 val21 = *(half2*)&data1[alu5+3584];
    half2 val22 = *(half2*)&data1[alu5+3080];
    half2 val23 = *(half2*)&data1[alu5+3592];
    halfx8 cast7 = make_halfx8(val20.x,val20.y,val21.x,val21.y,val22.x,val22.y,val23.x,val23.y);
    acc12 = wmma_8_16_16_half_float(cast7, cast1, acc12);
    acc13 = wmma_8_16_16_half_float(cast7, cast2, acc13);
    acc14 = wmma_8_16_16_half_float(cast7, cast3, acc14);
    acc15 = wmma_8_16_16_half_float(cast7, cast4, acc15);
  }
  int alu7 = alu2+lidx2*32+alu3;
  *(float2*)&data0[alu7] = make_float2(acc0.x,acc0.y);
  *(float2*)&data0[alu7+8] = make_float2(acc1.x,acc1.y);
  *(float2*)&data0[alu7+16] = make_float2(acc2.x,acc2.y);
  *(float2*)&data0[alu7+24] = make_float2(acc3.x,acc3.y);
  *(float2*)&data0[alu7+1024] = make_float2(acc4.x,acc4.y);
  *(float2*)&data0[alu7+1032] = make_float2(acc5.x,acc5.y);
  *(float2*)&data0[alu7+1040] = make_float2(acc6.x,acc6.y);
  *(float2*)&data0[alu7+1048] = make_float2(acc7.x,acc7.y);
  *(float2*)&data0[alu7+2048] = make_float2(acc8.x,acc8.y);
  *(float2*)&data0[alu7+2056] = make_float2(acc9.x,acc9.y);
  *(float2*)&data0[alu7+2064] = make_float2(acc10.x,acc10.y);
  *(float2*)&data0[alu7+2072] = make_float2(acc11.x,acc11.y);
  *(float2*)&data0[alu7+3072] = make_float2(acc12.x,acc12.y);
  *(float2*)&data0[alu7+3080] = make_float2(acc13.x,acc13.y);
  *(float2*)&data0[alu7+3088] = make_float2(acc14.x,acc14.y);
  *(float2*)&data0[alu7+3096] = make_float2(acc15.x,acc15.y);
  *(float2*)&data0[alu7+512] = make_float2(acc0.z,acc0.w);
  *(float2*)&data0[alu7+520] = make_float2(acc1.z,acc1.w);
  *(float2*)&data0[alu7+528] = make_float2(acc2.z,acc2.w);
  *(float2*)&data0[alu7+536] = make_float2(acc3.z,acc3.w);
  *(float2*)&data0[alu7+1536] = make_float2(acc4.z,acc4.w);
  *(float2*)&data0[alu7+1544] = make_float2(acc5.z,acc5.w);
  *(float2*)&data0[alu7+1552] = make_float2(acc6.z,acc6.w);
  *(float2*)&data0[alu7+1560] = make_float2(acc7.z,acc7.w);
  *(float2*)&data0[alu7+2560] = make_float2(acc8.z,acc8.w);
  *(float2*)&data0[alu7+2568] = make_float2(acc9.z,acc9.w);
  *(float2*)&data0[alu7+2576] = make_float2(acc10.z,acc10.w);
  *(float2*)&data0[alu7+2584] = make_float2(acc11.z,acc11.w);
  *(float2*)&data0[alu7+3584] = make_float2(acc12.z,acc12.w);
  *(float2*)&data0[alu7+3592] = make_float2(acc13.z,acc13.w);
  *(float2*)&data0[alu7+3600] = make_float2(acc14.z,acc14.w);
  *(float2*)&data0[alu7+3608] = make_float2(acc15.z,acc15.w);
}
