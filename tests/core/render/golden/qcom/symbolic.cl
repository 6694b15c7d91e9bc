__kernel void symbolic(__global char* data0, const int heads, const int start_pos) {
  for (int ridx0 = 0; ridx0 < start_pos+1; ridx0++) {
    data0[(long)heads*4294967296l+(long)ridx0] = (char)ridx0;
  }
}
