typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));
void kernel_sum(float* restrict data0, float* restrict data1) {
  for (int ridx0 = 0; ridx0 < 64; ridx0++) {
    float acc0 = 0.0f;
    for (int ridx1 = 0; ridx1 < 256; ridx1++) {
      float4 val0 = *(float4*)&data1[ridx0*1024+ridx1*4];
      acc0 = acc0+(val0[0]+val0[1]+val0[2]+val0[3]);
    }
    data0[ridx0] = acc0;
  }
}
