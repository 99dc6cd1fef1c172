// What requests of many wavefronts, and stores of parts of sectors, cost:
//   requests > h200_requests.csv
// hits, shared: so many loads in a row by each warp of one SM, each of so many lines that L1 has, or of words of shared
// memory so far apart; clocks of the SM for all of them. stores: all SMs store some words of some sectors of lines of
// 16 MB, as often as L2 takes them; clocks of an SM for each line. structures: each thread of a grid stores to its
// first words of a structure of so many; microseconds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

namespace {

constexpr int kRounds = 64, kSms = 132, kBlocksPerSm = 8, kThreads = 256;
constexpr unsigned kWordsOfStores = 4u << 20;

/// Zeros, again and again, all loads of a round at once.
template <int loads>
__device__ __forceinline__ void load(const unsigned* zeros, unsigned at, long long* clocks, unsigned* sink) {
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
    unsigned word[loads], sum = 0;
#pragma unroll
    for (int i = 0; i < loads; ++i) word[i] = zeros[at + i];
#pragma unroll
    for (int i = 0; i < loads; ++i) sum += word[i];
    at += sum;
  }
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) *clocks = end - begin;
  sink[threadIdx.x] = at;
}

template <int loads>
__global__ void hits(const unsigned* zeros, int lines, int stride, long long* clocks, unsigned* sink) {
  unsigned at = threadIdx.x % 32 % lines * stride;
  for (int i = 0; i < loads; ++i) at += zeros[at + i];
  load<loads>(zeros, at, clocks, sink);
}

template <int loads>
__global__ void shared(int stride, long long* clocks, unsigned* sink) {
  __shared__ unsigned words[32 * 32 + loads];
  for (unsigned i = threadIdx.x; i < sizeof words / sizeof *words; i += blockDim.x) words[i] = 0;
  load<loads>(words, threadIdx.x % 32 * stride, clocks, sink);
}

__global__ void stores(unsigned* to, int sectors, int words, int rounds) {
  const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned of_line = sectors * words, lines = (32 + of_line - 1) / of_line;
  const unsigned place = lane / of_line * 32 + lane % of_line / words * 8 + lane % words;
  for (int i = 0; i < rounds; ++i)
    to[((i * (gridDim.x * blockDim.x / 32) + warp) * lines * 32 + place) & (kWordsOfStores - 1)] = i;
}

template <int fields>
__global__ void structures(unsigned* to, unsigned count, int words) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= count) return;
#pragma unroll
  for (int i = 0; i < fields; ++i) to[thread * words + i] = thread;
}

unsigned *buffer, *sink;
long long* clocks;

template <class Launch>
double median(Launch launch) {
  std::vector<double> each;
  for (int i = 0; i < 7; ++i) each.push_back(launch());
  std::sort(each.begin(), each.end());
  return each[3];
}
template <class Launch>
double rounds_of(Launch launch) {
  return median([&] {
    launch();
    long long took = 0;
    CHECK(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
    return static_cast<double>(took) / kRounds;
  });
}
template <class Launch>
double microseconds(Launch launch) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  return median([&] {
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaDeviceSynchronize());
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds * 1e3;
  });
}

}  // namespace

int main() {
  CHECK(cudaMalloc(&buffer, size_t{64} << 20));
  CHECK(cudaMemset(buffer, 0, size_t{64} << 20));
  CHECK(cudaMalloc(&sink, 4096));
  CHECK(cudaMalloc(&clocks, sizeof *clocks));
  int khz = 0;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  std::printf("what,warps,loads,lines_or_sectors,stride_or_words,value\n");
  for (const int warps : {1, 2, 4, 8, 16})
    for (const int lines : {1, 2, 4, 8, 16, 32})
      for (const int stride : {32, 33}) {
        const double one = rounds_of([&] { hits<1><<<1, 32 * warps>>>(buffer, lines, stride, clocks, sink); });
        const double many = rounds_of([&] { hits<16><<<1, 32 * warps>>>(buffer, lines, stride, clocks, sink); });
        std::printf("hits,%d,1,%d,%d,%.1f\nhits,%d,16,%d,%d,%.1f\n", warps, lines, stride, one, warps, lines, stride,
                    many);
      }
  for (const int warps : {1, 2, 4, 8, 16})
    for (const int stride : {1, 2, 4, 8, 16, 32}) {
      const double one = rounds_of([&] { shared<1><<<1, 32 * warps>>>(stride, clocks, sink); });
      const double many = rounds_of([&] { shared<8><<<1, 32 * warps>>>(stride, clocks, sink); });
      std::printf("shared,%d,1,,%d,%.1f\nshared,%d,8,,%d,%.1f\n", warps, stride, one, warps, stride, many);
    }
  for (const int sectors : {1, 2, 3, 4})
    for (const int words : {1, 2, 4, 8}) {
      if (32 % (sectors * words) != 0 && words == 8) continue;  // Lanes would be left over.
      const auto took = [&](int rounds) {
        return microseconds([&] { stores<<<kSms * kBlocksPerSm, kThreads>>>(buffer, sectors, words, rounds); });
      };
      const int lines = (32 + sectors * words - 1) / (sectors * words);
      std::printf("stores,,,%d,%d,%.3f\n", sectors, words,
                  (took(kRounds) - took(0)) * 1e-3 * khz / (kBlocksPerSm * kThreads / 32 * kRounds * lines));
    }
  for (const int words : {4, 5, 7, 8}) {
    constexpr unsigned kCount = 1'000'000, kBlocks = (kCount + kThreads - 1) / kThreads;
    std::printf("structures,,1,,%d,%.2f\n", words,
                microseconds([&] { structures<1><<<kBlocks, kThreads>>>(buffer, kCount, words); }));
    std::printf("structures,,2,,%d,%.2f\n", words,
                microseconds([&] { structures<2><<<kBlocks, kThreads>>>(buffer, kCount, words); }));
    std::printf("structures,,4,,%d,%.2f\n", words,
                microseconds([&] { structures<4><<<kBlocks, kThreads>>>(buffer, kCount, words); }));
  }
  return 0;
}
