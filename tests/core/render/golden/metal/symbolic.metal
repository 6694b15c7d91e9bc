#include <metal_stdlib>
using namespace metal;
kernel void symbolic(device char* data0, constant int& heads, constant int& start_pos) {
  for (int ridx0 = 0; ridx0 < start_pos+1; ridx0++) {
    data0[(long)heads*4294967296l+(long)ridx0] = (char)ridx0;
  }
}
