typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));
void kernel_softmax_part(float* restrict data0, float* restrict data1, float* restrict data2) {
  for (int ridx0 = 0; ridx0 < 32; ridx0++) {
    float val0 = data2[ridx0];
    float acc0 = 0.0f;
    for (int ridx1 = 0; ridx1 < 32; ridx1++) {
      float4 val1 = *(float4*)&data1[ridx0*128+ridx1*4];
      float alu0 = __builtin_exp2f((val1[0]-val0)*1.442695f)+__builtin_exp2f((val1[1]-val0)*1.442695f)+__builtin_exp2f((val1[2]-val0)*1.442695f);
      acc0 = acc0+(alu0+__builtin_exp2f((val1[3]-val0)*1.442695f));
    }
    data0[ridx0] = acc0;
  }
}
