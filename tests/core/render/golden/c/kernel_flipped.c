typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));
void kernel_flipped(float* restrict data0, float* restrict data1) {
  for (int ridx0 = 0; ridx0 < 60; ridx0++) {
    float4 val0 = *(float4*)&data1[ridx0*-4+236];
    *(float4*)&data0[ridx0*4] = (float4){val0[3],val0[2],val0[1],val0[0]};
  }
}
