#pragma once
// What the programs of students have in common.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                             \
    do {                                                                                        \
        cudaError_t e = (call);                                                                 \
        if (e != cudaSuccess) {                                                                 \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));     \
            std::exit(1);                                                                       \
        }                                                                                       \
    } while (0)

__host__ __device__ inline unsigned mix(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

// Memory that is freed when a launch is done.
static std::vector<void *> pool;

template <typename T> static T *room(size_t n) {
    void *p;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    pool.push_back(p);
    return (T *)p;
}

template <typename T> static T *zeros(size_t n, int byte = 0) {
    T *p = room<T>(n);
    CHECK(cudaMemset(p, byte, n * sizeof(T)));
    return p;
}

static void done() {
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    for (void *p : pool) CHECK(cudaFree(p));
    pool.clear();
}
