// What kernels need of HIP's own header, so that clang alone can compile them for a GPU.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))

struct Position {
  unsigned x, y, z;
};
extern __device__ const Position blockIdx, blockDim, threadIdx;

static __device__ inline void __syncthreads() { __builtin_amdgcn_s_barrier(); }
static __device__ inline float sqrtf(float x) { return __builtin_sqrtf(x); }
static __device__ inline float exp2f(float x) { return __builtin_exp2f(x); }
static __device__ inline float log2f(float x) { return __builtin_log2f(x); }
static __device__ inline float sinf(float x) { return __builtin_sinf(x); }
extern "C" __device__ double sqrt(double), exp2(double), log2(double), sin(double);
