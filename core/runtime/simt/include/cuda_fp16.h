#pragma once
typedef _Float16 half;
typedef half half2 __attribute__((ext_vector_type(2)));
static inline half2 make_half2(half x, half y) { return {x, y}; }
#define __half_as_short(x) simt_bits<short, half>(x)
#define __half_as_ushort(x) simt_bits<unsigned short, half>(x)
#define __short_as_half(x) simt_bits<half, short>(x)
#define __ushort_as_half(x) simt_bits<half, unsigned short>(x)
