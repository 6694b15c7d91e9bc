// The part of HIP C++ that kernels use.
#pragma once
#include "simt.h"

#define __global__
#define __device__
#define __shared__ SIMT_SHARED
#define __launch_bounds__(threads)
#define blockIdx simt_group
#define threadIdx simt_thread
#define blockDim simt_threads
#define __syncthreads simt_barrier

template <simt_unit unit, simt_type in, simt_type out, class A, class C> static inline C simt_multiply(A a, A b, C c) {
  simt_product(unit, in, out, &a, &b, &c);
  return c;
}
#define __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c) simt_multiply<SIMT_WMMA, SIMT_HALF, SIMT_FLOAT>(a, b, c)
#define __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(a, b, c, high) simt_multiply<SIMT_WMMA, SIMT_HALF, SIMT_HALF>(a, b, c)
#define __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c) simt_multiply<SIMT_WMMA, SIMT_BFLOAT16, SIMT_FLOAT>(a, b, c)
#define __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, x, y, z) simt_multiply<SIMT_MFMA, SIMT_HALF, SIMT_FLOAT>(a, b, c)
#define __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, x, y, z) \
  simt_multiply<SIMT_MFMA, SIMT_BFLOAT16, SIMT_FLOAT>(a, b, c)
