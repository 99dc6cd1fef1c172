#pragma once

#include <barrier>
#include <thread>
#include <vector>

#include "base/memory.h"

// Enough of CUDA C++ for the kernels to compile as C++: a block's threads are threads, one block after another.

struct float4 {
  float x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

inline thread_local tilescope::Dim3 threadIdx{0, 0, 0};
inline tilescope::Dim3 blockIdx{0, 0, 0};
inline tilescope::Dim3 blockDim;
inline std::barrier<>* block_barrier = nullptr;

#define __global__ static
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(threads)
#define __syncthreads() block_barrier->arrive_and_wait()

template <class Kernel, class... Arguments>
void launch_on_cpu(Kernel kernel, tilescope::Dim3 grid, tilescope::Dim3 block, Arguments... arguments) {
  blockDim = block;
  for (uint64_t b = 0; b < grid.count(); ++b) {
    blockIdx = tilescope::position_in(grid, b);
    std::barrier<> barrier(static_cast<std::ptrdiff_t>(block.count()));
    block_barrier = &barrier;
    std::vector<std::jthread> threads;
    for (uint64_t t = 0; t < block.count(); ++t)
      threads.emplace_back([=] {
        threadIdx = tilescope::position_in(block, t);
        kernel(arguments...);
      });
  }
}
