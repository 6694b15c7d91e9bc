typedef unsigned char uchar4 __attribute__((vector_size(4), aligned(1), may_alias));
void kernel_uchar_wraps(unsigned char* restrict data0, unsigned char* restrict data1) {
  for (int ridx0 = 0; ridx0 < 25; ridx0++) {
    int alu0 = ridx0*4;
    uchar4 val0 = *(uchar4*)&data1[alu0];
    uchar4 cast0 = (uchar4){(unsigned char)(val0[0]*3)+200,(unsigned char)(val0[1]*3)+200,(unsigned char)(val0[2]*3)+200,(unsigned char)(val0[3]*3)+200};
    *(uchar4*)&data0[alu0] = cast0;
  }
}
