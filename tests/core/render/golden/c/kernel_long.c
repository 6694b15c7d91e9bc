typedef long long long4 __attribute__((vector_size(32), aligned(8), may_alias));
void kernel_long(long long* restrict data0, long long* restrict data1, long long* restrict data2) {
  for (int ridx0 = 0; ridx0 < 10; ridx0++) {
    int alu0 = ridx0*4;
    long4 val0 = *(long4*)&data1[alu0];
    long4 val1 = *(long4*)&data2[alu0];
    *(long4*)&data0[alu0] = (long4){val0[0]*val1[0]+1ll,val0[1]*val1[1]+1ll,val0[2]*val1[2]+1ll,val0[3]*val1[3]+1ll};
  }
}
