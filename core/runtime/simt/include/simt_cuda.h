// The part of CUDA C++ that kernels use.
#pragma once
#include "simt.h"

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ SIMT_SHARED
#define __launch_bounds__(threads)
#define blockIdx simt_group
#define threadIdx simt_thread
#define blockDim simt_threads
#define __syncthreads simt_barrier

#define SIMT_MAKE(type, name)                                                            \
  SIMT_VECTORS(type, name)                                                               \
  static inline name##2 make_##name##2(type x, type y) { return {x, y}; }                \
  static inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
SIMT_MAKE(signed char, char)
SIMT_MAKE(unsigned char, uchar)
SIMT_MAKE(short, short)
SIMT_MAKE(unsigned short, ushort)
SIMT_MAKE(int, int)
SIMT_MAKE(unsigned int, uint)
SIMT_MAKE(float, float)
typedef double double2 __attribute__((ext_vector_type(2)));
static inline double2 make_double2(double x, double y) { return {x, y}; }

template <class To, class From> static inline To simt_bits(From value) { return __builtin_bit_cast(To, value); }
#define __float_as_int(x) simt_bits<int, float>(x)
#define __float_as_uint(x) simt_bits<unsigned, float>(x)
#define __int_as_float(x) simt_bits<float, int>(x)
#define __uint_as_float(x) simt_bits<float, unsigned>(x)
#define __double_as_longlong(x) simt_bits<long long, double>(x)
#define __longlong_as_double(x) simt_bits<double, long long>(x)

// `asm volatile("mma.sync…" : results : factors)`: the instruction's text says what to multiply, and the function that
// holds it names what a thread has of each matrix `regs_a`, `regs_b` and `regs_c`.
static inline void simt_instruction(const char *text, const void *a, const void *b, void *c) {
  auto contains = [&](const char *part) {
    for (const char *at = text; *at; at++) {
      int i = 0;
      while (part[i] && at[i] == part[i]) i++;
      if (!part[i]) return true;
    }
    return false;
  };
  simt_unit unit = contains("m16n8k16") ? SIMT_MMA_K16 : SIMT_MMA_K8;
  simt_type in = contains(".bf16.") ? SIMT_BFLOAT16 : SIMT_HALF;
  simt_product(unit, in, contains("row.col.f32.") ? SIMT_FLOAT : SIMT_HALF, a, b, c);
}
#define asm
#define volatile(...) simt_instruction(#__VA_ARGS__, regs_a, regs_b, regs_c)
