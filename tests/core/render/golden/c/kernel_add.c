typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));
void kernel_add(float* restrict data0, float* restrict data1, float* restrict data2) {
  for (int ridx0 = 0; ridx0 < 256; ridx0++) {
    int alu0 = ridx0*4;
    float4 val0 = *(float4*)&data1[alu0];
    float4 val1 = *(float4*)&data2[alu0];
    *(float4*)&data0[alu0] = (float4){val0[0]+val1[0],val0[1]+val1[1],val0[2]+val1[2],val0[3]+val1[3]};
  }
}
