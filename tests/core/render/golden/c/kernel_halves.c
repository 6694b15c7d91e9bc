typedef _Float16 half4 __attribute__((vector_size(8), aligned(2), may_alias));
void kernel_halves(_Float16* restrict data0, _Float16* restrict data1, _Float16* restrict data2) {
  for (int ridx0 = 0; ridx0 < 128; ridx0++) {
    int alu0 = ridx0*4;
    half4 val0 = *(half4*)&data1[alu0];
    half4 val1 = *(half4*)&data2[alu0];
    _Float16 alu1 = (_Float16)(val0[0]*(_Float16)2.0f)+val1[0];
    _Float16 alu2 = (_Float16)(val0[1]*(_Float16)2.0f)+val1[1];
    _Float16 alu3 = (_Float16)(val0[2]*(_Float16)2.0f)+val1[2];
    _Float16 alu4 = (_Float16)(val0[3]*(_Float16)2.0f)+val1[3];
    *(half4*)&data0[alu0] = (half4){alu1,alu2,alu3,alu4};
  }
}
