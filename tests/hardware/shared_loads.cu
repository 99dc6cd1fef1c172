// How long loads from shared memory take by their words, alone and several at a time, all lanes at one address and each at
// its own. nvcc -O3 -std=c++17 -arch=sm_90
#include <algorithm>
#include <cstdio>
#include <vector>

#include "check.h"

constexpr int kSms = 132, kMostWarps = 16, kTurns = 100;

/// The last of the words that a lane loads.
template <int words>
__device__ unsigned load(unsigned from) {
  unsigned to[4];
  if (words == 1) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(to[0]) : "r"(from));
  if (words == 2) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(from));
  if (words == 4)
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from));
  return to[words - 1];
}

/// Turns of `loads` loads, of which the next turn needs all. Lanes are `step` bytes apart.
template <int words, int loads>
__global__ void turns(int step, long long* clocks, unsigned* out) {
  __shared__ __align__(16) unsigned shared[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) shared[i] = 0;
  __syncthreads();
  unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + threadIdx.x % 32 * step, sum = 0;
  const long long start = clock64();
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
    unsigned each[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) each[i] = load<words>(from + i * 512);
#pragma unroll
    for (int i = 0; i < loads; ++i) sum += each[i];
    from += sum;
  }
  const long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x % 32 == 0) clocks[blockIdx.x * kMostWarps + threadIdx.x / 32] = end - start;
}

/// Loads whose address is what the load before has brought.
template <int words>
__global__ void chain(int step, long long* clocks, unsigned* out) {
  __shared__ __align__(16) unsigned shared[4096];
  const unsigned first = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) shared[i] = first + i / words * words * 4;
  __syncthreads();
  unsigned from = first + threadIdx.x % 32 * step;
  const long long start = clock64();
#pragma unroll 1
  for (int turn = 0; turn < kTurns / 10; ++turn) {
#pragma unroll
    for (int i = 0; i < 10; ++i) from = load<words>(from);
  }
  const long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = from;
  if (threadIdx.x % 32 == 0) clocks[blockIdx.x * kMostWarps + threadIdx.x / 32] = end - start;
}

/// Clocks of a turn of the slowest warp: of all SMs the median, of three launches the least.
template <class Kernel>
void measure(const char* what, int words, int loads, Kernel kernel) {
  static long long of_warps[kSms * kMostWarps], *clocks = nullptr;
  static unsigned* out = nullptr;
  if (!clocks) {
    CHECK(cudaMalloc(&clocks, sizeof of_warps));
    CHECK(cudaMalloc(&out, kSms * kMostWarps * 32 * sizeof(unsigned)));
  }
  for (int step : {0, 4 * words}) {
    for (int warps : {1, 4, 8, 16}) {
      double least = 1e30;
      for (int again = 0; again < 3; ++again) {
        kernel<<<kSms, warps * 32>>>(step, clocks, out);
        CHECK(cudaMemcpy(of_warps, clocks, sizeof of_warps, cudaMemcpyDeviceToHost));
        std::vector<double> each;
        for (int block = 0; block < kSms; ++block) {
          const long long* first = of_warps + block * kMostWarps;
          each.push_back(static_cast<double>(*std::max_element(first, first + warps)) / kTurns);
        }
        std::sort(each.begin(), each.end());
        least = std::min(least, each[kSms / 2]);
      }
      std::printf("%s,%d,%d,%d,%d,%.2f\n", what, words, loads, step, warps, least);
    }
  }
}

template <int words>
void measure_words() {
  measure("chain", words, 1, chain<words>);
  measure("turns", words, 1, turns<words, 1>), measure("turns", words, 2, turns<words, 2>);
  measure("turns", words, 4, turns<words, 4>), measure("turns", words, 8, turns<words, 8>);
}

int main() {
  std::printf("what,words,loads,step,warps,clocks\n");
  measure_words<1>(), measure_words<2>(), measure_words<4>();
}
