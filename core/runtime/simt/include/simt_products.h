// Matrix units: which element of A, B and C each thread of a warp holds where, and elements of each type. The layouts are
// those of core/runtime/emulator/fragments.py, which names their sources.
#pragma once
#include "simt.h"

namespace {

struct Product {
  simt_unit unit;
  simt_type in, out;
  const void *a, *b;
  void *c;
};

struct Place {
  unsigned row, column;
};

Place mma_c(unsigned t, unsigned e) { return {t / 4 + e / 2 * 8, t % 4 * 2 + e % 2}; }
Place simdgroup(unsigned t, unsigned e) {
  return {(t >> 4 & 1) * 4 + (t >> 2 & 1) * 2 + (t >> 1 & 1), (t >> 3 & 1) * 4 + (t & 1) * 2 + e};
}

struct Layout {
  unsigned m, n, k, threads, a_count, b_count, c_count;
  Place (*a)(unsigned, unsigned), (*b)(unsigned, unsigned), (*c)(unsigned, unsigned);
};

const Layout LAYOUTS[] = {
    {16, 8, 16, 32, 8, 4, 4, [](unsigned t, unsigned e) { return Place{t / 4 + e / 2 % 2 * 8, t % 4 * 2 + e % 2 + e / 4 * 8}; },
     [](unsigned t, unsigned e) { return Place{t % 4 * 2 + e % 2 + e / 2 * 8, t / 4}; }, mma_c},
    {16, 8, 8, 32, 4, 2, 4, [](unsigned t, unsigned e) { return Place{t / 4 + e / 2 * 8, t % 4 * 2 + e % 2}; },
     [](unsigned t, unsigned e) { return Place{t % 4 * 2 + e, t / 4}; }, mma_c},
    {16, 16, 16, 32, 16, 16, 8, [](unsigned t, unsigned e) { return Place{t % 16, e}; },
     [](unsigned t, unsigned e) { return Place{e, t % 16}; },
     [](unsigned t, unsigned e) { return Place{e * 2 + t / 16, t % 16}; }},
    {16, 16, 16, 64, 4, 4, 4, [](unsigned t, unsigned e) { return Place{t % 16, t / 16 * 4 + e}; },
     [](unsigned t, unsigned e) { return Place{t / 16 * 4 + e, t % 16}; },
     [](unsigned t, unsigned e) { return Place{t / 16 * 4 + e, t % 16}; }},
    {8, 8, 8, 32, 2, 2, 2, simdgroup, simdgroup, simdgroup},
};

double element_of(simt_type type, const void *at, unsigned element) {
  switch (type) {
    case SIMT_HALF: return (float)((const _Float16 *)at)[element];
    case SIMT_BFLOAT16: return (float)((const __bf16 *)at)[element];
    default: return ((const float *)at)[element];
  }
}

void set_element(simt_type type, void *at, unsigned element, double value) {
  switch (type) {
    case SIMT_HALF: ((_Float16 *)at)[element] = (_Float16)value; break;
    case SIMT_BFLOAT16: ((__bf16 *)at)[element] = (__bf16)(float)value; break;
    default: ((float *)at)[element] = (float)value;
  }
}

// A matrix as the threads of a warp hand it over. Several may hold the same element, which has to be the same then.
struct Matrix {
  double values[16][16];
  bool known[16][16];

  bool take(Place at, double value) {
    double &own = values[at.row][at.column];
    bool &seen = known[at.row][at.column];
    if (seen && own != value && (own == own || value == value)) return false;
    own = value;
    seen = true;
    return true;
  }
};

// Of a product in halves, RDNA3 has its elements in every second place.
unsigned stride(const Product &product) { return product.unit == SIMT_WMMA && product.out == SIMT_HALF ? 2 : 1; }

}  // namespace
