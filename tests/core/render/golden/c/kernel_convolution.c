typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));
void kernel_convolution(float* restrict data0, float* restrict data1, float* restrict data2) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    for (int ridx1 = 0; ridx1 < 16; ridx1++) {
      int alu0 = ridx1*16;
      _Bool alu1 = !(ridx1<1);
      _Bool alu2 = ridx1<15;
      for (int ridx2 = 0; ridx2 < 4; ridx2++) {
        int alu3 = ridx2*4;
        _Bool alu4 = !(ridx2<1);
        _Bool alu5 = ridx2<3;
        float acc0 = 0.0f;
        float acc1 = 0.0f;
        float acc2 = 0.0f;
        float acc3 = 0.0f;
        for (int ridx3 = 0; ridx3 < 4; ridx3++) {
          int alu6 = ridx3*256+alu0+alu3;
          float val0 = alu1&alu4?data1[alu6-17]:0.0f;
          int alu7 = ridx0*36+ridx3*9;
          float val1 = data2[alu7];
          float val2 = alu4?data1[alu6-1]:0.0f;
          float val3 = data2[alu7+3];
          float val4 = alu2&alu4?data1[alu6+15]:0.0f;
          float val5 = data2[alu7+6];
          float4 val6 = alu1?*(float4*)&data1[alu6-16]:(float4){0.0f,0.0f,0.0f,0.0f};
          float val7 = data2[alu7+1];
          float4 val8 = *(float4*)&data1[alu6];
          float val9 = data2[alu7+4];
          float4 val10 = alu2?*(float4*)&data1[alu6+16]:(float4){0.0f,0.0f,0.0f,0.0f};
          float val11 = data2[alu7+7];
          float val12 = data2[alu7+2];
          float val13 = data2[alu7+5];
          float val14 = data2[alu7+8];
          acc0 = acc0+(val0*val1+val2*val3+val4*val5+val6[0]*val7+val8[0]*val9+val10[0]*val11+val6[1]*val12+val8[1]*val13+val10[1]*val14);
          float alu8 = val6[0]*val1+val8[0]*val3+val10[0]*val5+val6[1]*val7+val8[1]*val9+val10[1]*val11+val6[2]*val12+val8[2]*val13+val10[2]*val14;
          acc1 = acc1+alu8;
          float alu9 = val6[1]*val1+val8[1]*val3+val10[1]*val5+val6[2]*val7+val8[2]*val9+val10[2]*val11+val6[3]*val12+val8[3]*val13+val10[3]*val14;
          acc2 = acc2+alu9;
          float val15 = alu1&alu5?data1[alu6-12]:0.0f;
          float val16 = alu5?data1[alu6+4]:0.0f;
          float val17 = alu2&alu5?data1[alu6+20]:0.0f;
          float alu10 = acc3+(val6[2]*val1+val8[2]*val3+val10[2]*val5+val6[3]*val7+val8[3]*val9+val10[3]*val11+val15*val12+val16*val13+val17*val14);
          acc3 = alu10;
        }
        *(float4*)&data0[ridx0*256+alu0+alu3] = (float4){acc0<0.0f?0.0f:acc0,acc1<0.0f?0.0f:acc1,acc2<0.0f?0.0f:acc2,acc3<0.0f?0.0f:acc3};
      }
    }
  }
}
