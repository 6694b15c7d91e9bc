typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));
void kernel_padded(float* restrict data0, float* restrict data1) {
  for (int ridx0 = 0; ridx0 < 16; ridx0++) {
    _Bool alu0 = !(ridx0<1)&ridx0<14;
    for (int ridx1 = 0; ridx1 < 2; ridx1++) {
      int alu1 = ridx1*4;
      int alu2 = ridx0*7+alu1;
      float val0 = alu0?data1[alu2-7]:0.0f;
      float val1 = alu0?data1[alu2-6]:0.0f;
      float val2 = alu0?data1[alu2-5]:0.0f;
      float val3 = alu0&ridx1<1?data1[alu2-4]:0.0f;
      *(float4*)&data0[ridx0*8+alu1] = (float4){val0+1.0f,val1+1.0f,val2+1.0f,val3+1.0f};
    }
  }
}
