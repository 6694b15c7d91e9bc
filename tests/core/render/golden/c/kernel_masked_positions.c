void kernel_masked_positions(float* restrict data0, float* restrict data1) {
  for (int ridx0 = 0; ridx0 < 8; ridx0++) {
    for (int ridx1 = 0; ridx1 < 32; ridx1++) {
      int alu0 = ridx0*32+ridx1;
      int alu1 = (ridx1<1?0:1)+(ridx1<10?0:1)+(ridx1<11?0:1)+(ridx1<12?0:1)+(ridx1<13?0:1)+(ridx1<14?0:1)+(ridx1<15?0:1)+(ridx1<16?0:1)+(ridx1<17?0:1);
      int alu2 = alu1+(ridx1<18?0:1)+(ridx1<19?0:1)+(ridx1<2?0:1)+(ridx1<20?0:1)+(ridx1<21?0:1)+(ridx1<22?0:1)+(ridx1<23?0:1)+(ridx1<24?0:1);
      int alu3 = alu2+(ridx1<25?0:1)+(ridx1<26?0:1)+(ridx1<27?0:1)+(ridx1<28?0:1)+(ridx1<29?0:1)+(ridx1<3?0:1)+(ridx1<30?0:1)+(ridx1<31?0:1);
      float val0 = data1[alu0];
      data0[alu0] = alu3+(ridx1<4?0:1)+(ridx1<5?0:1)+(ridx1<6?0:1)+(ridx1<7?0:1)+(ridx1<8?0:1)+(ridx1<9?0:1)<9?__builtin_sinf(val0):0.0f;
    }
  }
}
