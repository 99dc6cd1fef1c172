// Clocks of loads of constants by how many different addresses the lanes of a warp have, words and bytes:
//   constants > h200_constants.csv
// A row is one block with so many warps; the clocks are those for each load of a warp.
#include "check.h"

__constant__ unsigned words[1024];
__constant__ unsigned char bytes[1024];

constexpr int kRounds = 64, kLoads = 4;

template <class T>
__global__ void load(unsigned different, unsigned stride, unsigned* out, long long* clocks) {
  unsigned at[kLoads], sum = 0;
  for (unsigned& index : at) index = threadIdx.x % different * stride;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round)
#pragma unroll
    for (unsigned& index : at) {
      if constexpr (sizeof(T) == 4)
        index += words[index];
      else
        index += bytes[index];
    }
  for (const unsigned index : at) sum += index;
  __syncthreads();
  if (threadIdx.x == 0) *clocks = clock64() - begin;
  if (sum == 12345) *out = sum;
}

template <class T>
double clocks_of(unsigned threads, unsigned different, unsigned stride, unsigned* out, long long* clocks) {
  load<T><<<1, threads>>>(different, stride, out, clocks);
  CHECK(cudaDeviceSynchronize());
  return static_cast<double>(*clocks) / (kRounds * kLoads);
}

int main() {
  unsigned* out = nullptr;
  long long* clocks = nullptr;
  CHECK(cudaMalloc(&out, sizeof *out));
  CHECK(cudaMallocManaged(&clocks, sizeof *clocks));
  std::printf("warps,addresses,stride,word,byte\n");
  for (unsigned threads : {32u, 64u, 128u, 512u, 1024u})
    for (unsigned different : {1u, 2u, 4u, 8u, 16u, 32u})
      for (unsigned stride : {1u, 4u, 16u})
        std::printf("%u,%u,%u,%.3f,%.3f\n", threads / 32, different, stride,
                    clocks_of<unsigned>(threads, different, stride, out, clocks),
                    clocks_of<unsigned char>(threads, different, stride, out, clocks));
}
