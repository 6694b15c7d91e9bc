// What the threads of a kernel share with the driver that runs them. Sources of kernels see this and no other header.
#pragma once

using simt_ulong = unsigned long;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char uchar;

typedef unsigned int uint3 __attribute__((ext_vector_type(3)));

// the place of the thread that runs now; the driver sets them
extern "C" uint3 simt_group, simt_thread, simt_groups, simt_threads;

extern "C" void simt_barrier();

// A matrix product of all threads of a warp. `c` is read and written.
enum simt_unit { SIMT_MMA_K16, SIMT_MMA_K8, SIMT_WMMA, SIMT_MFMA, SIMT_SIMDGROUP };
enum simt_type { SIMT_HALF, SIMT_BFLOAT16, SIMT_FLOAT };
extern "C" void simt_product(simt_unit unit, simt_type in, simt_type out, const void *a, const void *b, void *c);

template <class T> struct simt_type_of;
template <> struct simt_type_of<_Float16> { static constexpr simt_type value = SIMT_HALF; };
template <> struct simt_type_of<__bf16> { static constexpr simt_type value = SIMT_BFLOAT16; };
template <> struct simt_type_of<float> { static constexpr simt_type value = SIMT_FLOAT; };

// An argument of a kernel: a pointer, or an integer by its address.
struct simt_argument {
  void *at;
  template <class T> operator T *() const { return (T *)at; }
  operator const int &() const { return *(const int *)at; }
  operator const long long &() const { return *(const long long *)at; }
};

static inline float sqrtf(float x) { return __builtin_sqrtf(x); }
static inline float exp2f(float x) { return __builtin_exp2f(x); }
static inline float log2f(float x) { return __builtin_log2f(x); }
static inline float sinf(float x) { return __builtin_sinf(x); }
static inline double sqrt(double x) { return __builtin_sqrt(x); }
static inline double exp2(double x) { return __builtin_exp2(x); }
static inline double log2(double x) { return __builtin_log2(x); }
static inline double sin(double x) { return __builtin_sin(x); }

// An array that a block shares: in a section of its own, which the driver fills before each block; accesses to it stay
// even where nothing comes of them.
#define SIMT_SHARED static __attribute__((section("simt_shared"), used))

#define SIMT_VECTORS(type, name)                                   \
  typedef type name##2 __attribute__((ext_vector_type(2)));        \
  typedef type name##4 __attribute__((ext_vector_type(4)));
