typedef _Float16 half4 __attribute__((vector_size(8), aligned(2), may_alias));
typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));
void kernel_half_product(float* restrict data0, _Float16* restrict data1, _Float16* restrict data2) {
  for (int ridx0 = 0; ridx0 < 16; ridx0++) {
    int alu0 = ridx0*256;
    for (int ridx1 = 0; ridx1 < 16; ridx1++) {
      float acc0 = 0.0f;
      float acc1 = 0.0f;
      float acc2 = 0.0f;
      float acc3 = 0.0f;
      float acc4 = 0.0f;
      float acc5 = 0.0f;
      float acc6 = 0.0f;
      float acc7 = 0.0f;
      float acc8 = 0.0f;
      float acc9 = 0.0f;
      float acc10 = 0.0f;
      float acc11 = 0.0f;
      float acc12 = 0.0f;
      float acc13 = 0.0f;
      float acc14 = 0.0f;
      float acc15 = 0.0f;
      for (int ridx2 = 0; ridx2 < 16; ridx2++) {
        int alu1 = ridx2*4;
        int alu2 = alu0+alu1;
        half4 val0 = *(half4*)&data1[alu2];
        int alu3 = ridx1*256+alu1;
        half4 val1 = *(half4*)&data2[alu3];
        float alu4 = (float)(_Float16)(val0[0]*val1[0])+(float)(_Float16)(val0[1]*val1[1])+(float)(_Float16)(val0[2]*val1[2])+(float)(_Float16)(val0[3]*val1[3]);
        acc0 = acc0+alu4;
        half4 val2 = *(half4*)&data2[alu3+64];
        float alu5 = (float)(_Float16)(val0[0]*val2[0])+(float)(_Float16)(val0[1]*val2[1])+(float)(_Float16)(val0[2]*val2[2])+(float)(_Float16)(val0[3]*val2[3]);
        acc1 = acc1+alu5;
        half4 val3 = *(half4*)&data2[alu3+128];
        float alu6 = (float)(_Float16)(val0[0]*val3[0])+(float)(_Float16)(val0[1]*val3[1])+(float)(_Float16)(val0[2]*val3[2])+(float)(_Float16)(val0[3]*val3[3]);
        acc2 = acc2+alu6;
        half4 val4 = *(half4*)&data2[alu3+192];
        float alu7 = (float)(_Float16)(val0[0]*val4[0])+(float)(_Float16)(val0[1]*val4[1])+(float)(_Float16)(val0[2]*val4[2])+(float)(_Float16)(val0[3]*val4[3]);
        acc3 = acc3+alu7;
        half4 val5 = *(half4*)&data1[alu2+64];
        float alu8 = (float)(_Float16)(val5[0]*val1[0])+(float)(_Float16)(val5[1]*val1[1])+(float)(_Float16)(val5[2]*val1[2])+(float)(_Float16)(val5[3]*val1[3]);
        acc4 = acc4+alu8;
        float alu9 = (float)(_Float16)(val5[0]*val2[0])+(float)(_Float16)(val5[1]*val2[1])+(float)(_Float16)(val5[2]*val2[2])+(float)(_Float16)(val5[3]*val2[3]);
        acc5 = acc5+alu9;
        float alu10 = (float)(_Float16)(val5[0]*val3[0])+(float)(_Float16)(val5[1]*val3[1])+(float)(_Float16)(val5[2]*val3[2])+(float)(_Float16)(val5[3]*val3[3]);
        acc6 = acc6+alu10;
        float alu11 = (float)(_Float16)(val5[0]*val4[0])+(float)(_Float16)(val5[1]*val4[1])+(float)(_Float16)(val5[2]*val4[2])+(float)(_Float16)(val5[3]*val4[3]);
        acc7 = acc7+alu11;
        half4 val6 = *(half4*)&data1[alu2+128];
        float alu12 = (float)(_Float16)(val6[0]*val1[0])+(float)(_Float16)(val6[1]*val1[1])+(float)(_Float16)(val6[2]*val1[2])+(float)(_Float16)(val6[3]*val1[3]);
        acc8 = acc8+alu12;
        float alu13 = (float)(_Float16)(val6[0]*val2[0])+(float)(_Float16)(val6[1]*val2[1])+(float)(_Float16)(val6[2]*val2[2])+(float)(_Float16)(val6[3]*val2[3]);
        acc9 = acc9+alu13;
        float alu14 = (float)(_Float16)(val6[0]*val3[0])+(float)(_Float16)(val6[1]*val3[1])+(float)(_Float16)(val6[2]*val3[2])+(float)(_Float16)(val6[3]*val3[3]);
        acc10 = acc10+alu14;
        float alu15 = (float)(_Float16)(val6[0]*val4[0])+(float)(_Float16)(val6[1]*val4[1])+(float)(_Float16)(val6[2]*val4[2])+(float)(_Float16)(val6[3]*val4[3]);
        acc11 = acc11+alu15;
        half4 val7 = *(half4*)&data1[alu2+192];
        float alu16 = (float)(_Float16)(val7[0]*val1[0])+(float)(_Float16)(val7[1]*val1[1])+(float)(_Float16)(val7[2]*val1[2])+(float)(_Float16)(val7[3]*val1[3]);
        acc12 = acc12+alu16;
        float alu17 = (float)(_Float16)(val7[0]*val2[0])+(float)(_Float16)(val7[1]*val2[1])+(float)(_Float16)(val7[2]*val2[2])+(float)(_Float16)(val7[3]*val2[3]);
        acc13 = acc13+alu17;
        float alu18 = (float)(_Float16)(val7[0]*val3[0])+(float)(_Float16)(val7[1]*val3[1])+(float)(_Float16)(val7[2]*val3[2])+(float)(_Float16)(val7[3]*val3[3]);
        acc14 = acc14+alu18;
        float alu19 = (float)(_Float16)(val7[0]*val4[0])+(float)(_Float16)(val7[1]*val4[1])+(float)(_Float16)(val7[2]*val4[2])+(float)(_Float16)(val7[3]*val4[3]);
        acc15 = acc15+alu19;
      }
      int alu20 = alu0+ridx1*4;
      *(float4*)&data0[alu20] = (float4){acc0,acc1,acc2,acc3};
      *(float4*)&data0[alu20+64] = (float4){acc4,acc5,acc6,acc7};
      *(float4*)&data0[alu20+128] = (float4){acc8,acc9,acc10,acc11};
      *(float4*)&data0[alu20+192] = (float4){acc12,acc13,acc14,acc15};
    }
  }
}
