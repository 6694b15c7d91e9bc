void store_some(_Bool* restrict data0, _Bool* restrict data1) {
  for (int ridx0 = 0; ridx0 < 10; ridx0++) {
    if (2<ridx0) {
      _Bool val0 = data1[ridx0];
      data0[ridx0] = !val0;
    }
  }
}
