typedef int int4 __attribute__((vector_size(16), aligned(4), may_alias));
void kernel_divide(int* restrict data0, int* restrict data1, int* restrict data2) {
  for (int ridx0 = 0; ridx0 < 25; ridx0++) {
    int alu0 = ridx0*4;
    int4 val0 = *(int4*)&data1[alu0];
    int4 val1 = *(int4*)&data2[alu0];
    int alu1 = (val1[0]==0?0:val1[0]==-1?-val0[0]:val0[0]/val1[0])+val0[0]%7;
    int alu2 = (val1[1]==0?0:val1[1]==-1?-val0[1]:val0[1]/val1[1])+val0[1]%7;
    int alu3 = (val1[2]==0?0:val1[2]==-1?-val0[2]:val0[2]/val1[2])+val0[2]%7;
    int alu4 = (val1[3]==0?0:val1[3]==-1?-val0[3]:val0[3]/val1[3])+val0[3]%7;
    *(int4*)&data0[alu0] = (int4){alu1,alu2,alu3,alu4};
  }
}
