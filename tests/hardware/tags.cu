// What the tags of L1 cost a load, in clocks of one SM whose 32 warps all load the same lines again and again:
//   tags > h200_tags.csv
// Each lane reads another bank, so that the data takes one clock. multiples: so many multiples of 2^i lines. bits: lines
// 0, 2^i, 2^j and 2^i + 2^j; stride: 32 lines so far apart; random: as many lines of so many.
// A request takes some 1.4 clocks in any case, for its instructions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "check.h"

namespace {

constexpr int kBits = 20, kTurns = 64, kLoads = 8, kRepeats = 4;
constexpr unsigned kWarps = 32, kLanes = 32, kLineBytes = 128;
constexpr size_t kSpan = size_t{kLineBytes} << kBits;

/// `zero` is 0, which the compiler does not know.
__global__ void __launch_bounds__(kWarps* kLanes)
    load(const char* buffer, const unsigned* offsets, unsigned zero, long long* clocks, unsigned* sink) {
  unsigned at = offsets[threadIdx.x % kLanes], sum = 0;
  long long begin = 0;
  for (int turn = -1; turn < kTurns; ++turn) {
    if (turn == 0) {
      __syncthreads();
      begin = clock64();
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      unsigned word;
      at += zero;
      asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(word) : "l"(buffer + at) : "memory");
      sum += word;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) *clocks = clock64() - begin;
  sink[threadIdx.x] = sum;
}

}  // namespace

int main() {
  char* buffer;
  unsigned *offsets, *sink;
  long long* clocks;
  CHECK(cudaMalloc(&buffer, 2 * kSpan));
  CHECK(cudaMemset(buffer, 0, 2 * kSpan));
  CHECK(cudaMalloc(&offsets, kLanes * sizeof(unsigned)));
  CHECK(cudaMalloc(&sink, kWarps * kLanes * sizeof(unsigned)));
  CHECK(cudaMallocManaged(&clocks, sizeof(long long)));
  // From a multiple of the span on: then the bits of an address are those of the line's number.
  const char* first = buffer + (kSpan - reinterpret_cast<size_t>(buffer) % kSpan) % kSpan;

  std::printf("pattern,lines,clocks\n");
  const auto time = [&](const std::string& pattern, const std::vector<unsigned>& lines) {
    std::vector<unsigned> lanes;
    for (unsigned lane = 0; lane < kLanes; ++lane) lanes.push_back(lines[lane % lines.size()] * kLineBytes + lane * 4);
    CHECK(cudaMemcpy(offsets, lanes.data(), kLanes * sizeof(unsigned), cudaMemcpyHostToDevice));
    long long best = 0;
    for (int i = 0; i < kRepeats; ++i) {
      load<<<1, kWarps * kLanes>>>(first, offsets, 0, clocks, sink);
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
      best = i == 0 ? *clocks : std::min(best, *clocks);
    }
    std::printf("%s,", pattern.c_str());
    for (size_t i = 0; i < lines.size(); ++i) std::printf(i == 0 ? "%u" : " %u", lines[i]);
    std::printf(",%.3f\n", double(best) / (kTurns * kLoads * kWarps));
  };

  for (int i = 0; i + 3 <= kBits; ++i)
    for (unsigned count : {2, 4, 8}) {
      std::vector<unsigned> lines;
      for (unsigned j = 0; j < count; ++j) lines.push_back(j << i);
      time("multiples", lines);
    }
  for (int i = 0; i < kBits; ++i)
    for (int j = i + 1; j < kBits; ++j) time("bits", {0, 1u << i, 1u << j, 1u << i | 1u << j});
  for (unsigned stride = 1; stride <= 64; ++stride) {
    std::vector<unsigned> lines;
    for (unsigned i = 0; i < kLanes; ++i) lines.push_back(i * stride);
    time("stride", lines);
  }
  std::mt19937 random(7);
  for (int i = 0; i < 90; ++i) {
    const size_t count = size_t{8} << i % 3;
    const unsigned span = 256u << i / 30 * 4;
    std::vector<unsigned> lines;
    while (lines.size() < count)
      if (const unsigned line = random() % span; std::find(lines.begin(), lines.end(), line) == lines.end())
        lines.push_back(line);
    time("random", lines);
  }
}
