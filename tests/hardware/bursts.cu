// How much longer a launch takes whose blocks end with atomics that nobody waits for:
//   ncu --clock-control none --csv --metrics gpu__time_duration.sum,sm__cycles_active.avg,sm__cycles_active.max ./bursts
// What the program prints says what each launch is. A block waits, then adds to 256 words, or to words side by side;
// its warps take the least of one word and the most of another; or all of its threads add to the block's float.
#include <cstdio>

#include "check.h"

__device__ void wait_for(int clocks) {
  const long long begin = clock64();
  while (clock64() - begin < clocks) {
  }
}

__global__ void add_to_row(unsigned* words, int clocks, int times) {
  wait_for(clocks);
  for (int i = 0; i < times; ++i) atomicAdd(&words[threadIdx.x], 3u);
}

__global__ void least_and_most(int* least, int* most, int clocks) {
  wait_for(clocks);
  if (threadIdx.x % 32 != 0) return;
  atomicMin(least, static_cast<int>(threadIdx.x));
  atomicMax(most, static_cast<int>(threadIdx.x));
}

__global__ void add_to_float_of_block(float* sums, int clocks) {
  wait_for(clocks);
  atomicAdd(&sums[blockIdx.x], static_cast<float>(threadIdx.x));
}

int main() {
  unsigned* words = nullptr;
  CHECK(cudaMalloc(&words, 1 << 20));
  CHECK(cudaMemset(words, 0, 1 << 20));
  std::printf("kernel,blocks,clocks,times_or_bytes_apart\n");
  for (const int blocks : {132, 264, 528, 1056})
    for (const int clocks : {1000, 10000})
      for (const int times : {1, 4}) {
        add_to_row<<<blocks, 256>>>(words, clocks, times);
        std::printf("add_to_row,%d,%d,%d\n", blocks, clocks, times);
      }
  for (const int blocks : {264, 528, 1056}) {
    for (const int apart : {512, 1024}) {
      int* least = reinterpret_cast<int*>(words);
      least_and_most<<<blocks, 256>>>(least, least + apart / 4, 1000);
      std::printf("least_and_most,%d,1000,%d\n", blocks, apart);
    }
    add_to_float_of_block<<<blocks, 128>>>(reinterpret_cast<float*>(words), 1000);
    std::printf("add_to_float_of_block,%d,1000,0\n", blocks);
  }
  CHECK(cudaDeviceSynchronize());
  return 0;
}
