#pragma once
// What fills the arrays of coursework.cu and projects.cu.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "course.h"

__device__ inline float unit_value(int i, unsigned seed) { return (mix(i + seed * 6151u) >> 8) * (1.0f / 16777216.0f); }

__global__ void init_floats(float *p, int n, unsigned seed, float lo, float hi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = lo + (hi - lo) * unit_value(i, seed);
}

__global__ void init_doubles(double *p, int n, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = unit_value(i, seed);
}

__global__ void init_halves(half *p, int n, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = __float2half(unit_value(i, seed) - 0.5f);
}

__global__ void init_bf16s(__nv_bfloat16 *p, int n, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = __float2bfloat16(unit_value(i, seed) - 0.5f);
}

__global__ void init_bytes(unsigned char *p, int n, unsigned seed, int below) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = (unsigned char)(mix(i + seed * 6151u) % (unsigned)below);
}

// Value i lies in [i * step, i * step + below).
__global__ void init_ints(int *p, int n, unsigned seed, int step, int below) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = i * step + (int)(mix(i + seed * 6151u) % (unsigned)below);
}

static int up(int n, int d) { return (n + d - 1) / d; }

static float *floats(int n, unsigned seed, float lo = -1.0f, float hi = 1.0f) {
    float *p = room<float>(n);
    init_floats<<<up(n, 256), 256>>>(p, n, seed, lo, hi);
    return p;
}

static double *doubles(int n, unsigned seed) {
    double *p = room<double>(n);
    init_doubles<<<up(n, 256), 256>>>(p, n, seed);
    return p;
}

static half *halves(int n, unsigned seed) {
    half *p = room<half>(n);
    init_halves<<<up(n, 256), 256>>>(p, n, seed);
    return p;
}

static __nv_bfloat16 *bf16s(int n, unsigned seed) {
    __nv_bfloat16 *p = room<__nv_bfloat16>(n);
    init_bf16s<<<up(n, 256), 256>>>(p, n, seed);
    return p;
}

static unsigned char *bytes(int n, unsigned seed, int below = 256) {
    unsigned char *p = room<unsigned char>(n);
    init_bytes<<<up(n, 256), 256>>>(p, n, seed, below);
    return p;
}

static int *ints(int n, unsigned seed, int below) {
    int *p = room<int>(n);
    init_ints<<<up(n, 256), 256>>>(p, n, seed, 0, below);
    return p;
}

static int *rising(int n, unsigned seed, int step) {
    int *p = room<int>(n);
    init_ints<<<up(n, 256), 256>>>(p, n, seed, step, step);
    return p;
}
