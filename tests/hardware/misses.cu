// What a load costs whose lines L1 does not have, in clocks of the SM:
//   misses > h200_misses.csv
// chase: a chain of loads of so many lines each that L2 has or has not, by so many warps of one SM, or of all.
// under_way: the same chain of one warp, or of four, while another warp loads lines that L1 has, one after the other: its
// clocks for each. rows: as where a thread reads a row: each of 16 loads in a row takes the next word of 32 lines.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

namespace {

constexpr int kRounds = 48, kLineWords = 32;
constexpr size_t kWords = size_t{256} << 20, kBytesThatL2Holds = size_t{24} << 20;

/// Each round loads `lines` new lines by each warp; zeros come back. `words`: between one lane of a line and the next.
__global__ void chase(const unsigned* zeros, int lines, int words, long long* clocks, unsigned* sink) {
  const unsigned warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned at = (warp * kRounds * lines + lane % lines) * kLineWords + lane / lines * words;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    at += zeros[at];
    at += lines * kLineWords;
  }
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) clocks[blockIdx.x] = end - begin;
  sink[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

/// Warp 0 loads a line that L1 has, again and again, while the others chase as above.
__global__ void under_way(const unsigned* zeros, int lines, long long* clocks, unsigned* sink) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned at = (warp * kRounds * lines + lane % lines) * kLineWords;
  if (warp == 0) at = zeros[lane];
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    at += zeros[at];
    if (warp > 0) at += lines * kLineWords;
  }
  const long long end = clock64();
  if (lane == 0) clocks[warp] = end - begin;
  sink[threadIdx.x] = at;
}

/// Lane l reads row l of its warp, `pitch` words long, 16 words a round.
__global__ void rows(const unsigned* zeros, int pitch, long long* clocks, unsigned* sink) {
  unsigned sum = 0, at = (blockIdx.x * blockDim.x + threadIdx.x) * pitch;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < kRounds; ++i) {
    unsigned word[16];
#pragma unroll
    for (int j = 0; j < 16; ++j) word[j] = zeros[at + j];
#pragma unroll
    for (int j = 0; j < 16; ++j) sum += word[j];
    at += 16 + (sum & 1);
  }
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) clocks[blockIdx.x] = end - begin;
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

unsigned *zeros, *sink, *other;
long long* clocks;

/// The median of seven launches, in clocks a round of `of`. `cold`: L2 is filled with something else before each.
template <class Launch>
double timed(bool cold, int of, Launch launch) {
  std::vector<double> each;
  for (int i = 0; i < 7; ++i) {
    if (cold) CHECK(cudaMemset(other, i, size_t{256} << 20));
    launch();
    CHECK(cudaDeviceSynchronize());
    long long took = 0;
    CHECK(cudaMemcpy(&took, clocks + of, sizeof took, cudaMemcpyDeviceToHost));
    each.push_back(static_cast<double>(took) / kRounds);
  }
  std::sort(each.begin(), each.end());
  return each[3];
}

}  // namespace

int main() {
  CHECK(cudaMalloc(&zeros, kWords * sizeof *zeros));
  CHECK(cudaMemset(zeros, 0, kWords * sizeof *zeros));
  CHECK(cudaMalloc(&other, size_t{256} << 20));
  CHECK(cudaMalloc(&sink, size_t{1} << 20));
  CHECK(cudaMalloc(&clocks, 4096));
  std::printf("what,memory,blocks,warps,lines,sectors_of_a_line,clocks\n");
  for (const bool cold : {false, true}) {
    const char* memory = cold ? "DRAM" : "L2";
    for (const int blocks : {1, 132})
      for (const int warps : {1, 4, 8, 16, 32})
        for (const int lines : {1, 2, 4, 8, 16, 32})
          for (const int words : {0, 8}) {
            const size_t bytes = size_t{128} * blocks * warps * kRounds * lines;
            if ((words && lines > 8) || (!cold && bytes > kBytesThatL2Holds)) continue;
            const double took =
                timed(cold, 0, [&] { chase<<<blocks, 32 * warps>>>(zeros, lines, words, clocks, sink); });
            std::printf("chase,%s,%d,%d,%d,%d,%.1f\n", memory, blocks, warps, lines, words ? 4 : 1, took);
          }
    for (const int warps : {1, 2, 5, 9})
      for (const int lines : {1, 8, 32}) {
        const double took = timed(cold, 0, [&] { under_way<<<1, 32 * warps>>>(zeros, lines, clocks, sink); });
        std::printf("under_way,%s,1,%d,%d,1,%.1f\n", memory, warps - 1, lines, took);
      }
    for (const int blocks : {1, 8, 132})
      for (const int warps : {1, 2, 4, 8}) {
        if (!cold && blocks * warps > 64) continue;
        const double took = timed(cold, 0, [&] { rows<<<blocks, 32 * warps>>>(zeros, 1024, clocks, sink); });
        std::printf("rows,%s,%d,%d,32,1,%.1f\n", memory, blocks, warps, took);
      }
  }
  return 0;
}
