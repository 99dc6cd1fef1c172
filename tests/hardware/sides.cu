// How long an SM waits for lines that DRAM has, that its own side of L2 has, or that the other side alone has:
//   sides > h200_sides.csv
// A chain of loads through 8,192 lines in any order by one thread of SM `sm`, after L2 was filled with something else
// (cold), after the same by SM 0 (after), and once more (again). Columns: mean and quantiles of the clocks of a load.
#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <numeric>
#include <random>
#include <vector>

#include "check.h"

namespace {

constexpr int kLines = 8192, kLineWords = 32;
constexpr size_t kOtherBytes = size_t{256} << 20;

__device__ unsigned sm_here() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

__global__ void chase(const unsigned* next, unsigned sm, unsigned* clocks) {
  if (sm_here() != sm || threadIdx.x > 0) return;
  unsigned at = 0;
  for (int i = 0; i < kLines; ++i) {
    const unsigned begin = clock();
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(next + at) : "memory");
    if (at >= kLines * kLineWords) return;  // It never is, but must be known before the clock is read.
    clocks[i] = clock() - begin;
  }
}

/// Reads, so that nothing is left in L2 that must be written to DRAM.
__global__ void fill_l2(const uint4* other, unsigned* sink) {
  unsigned sum = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < kOtherBytes / sizeof(uint4); i += gridDim.x * blockDim.x)
    sum ^= other[i].x;
  if (sum == 1) *sink = sum;
}

unsigned *next, *clocks, *sink;
uint4* other;

void empty_l2() { fill_l2<<<1056, 256>>>(other, sink); }

void print(const char* what, unsigned sm, bool shown = true) {
  constexpr size_t kMostShared = 120 << 10;  // One block an SM.
  chase<<<132, 32, kMostShared>>>(next, sm, clocks);
  std::vector<unsigned> each(kLines);
  CHECK(cudaMemcpy(each.data(), clocks, kLines * sizeof(unsigned), cudaMemcpyDeviceToHost));
  if (!shown) return;
  std::sort(each.begin(), each.end());
  printf("%s,%u,%.1f", what, sm, std::accumulate(each.begin(), each.end(), 0.0) / kLines);
  for (const double part : {0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99})
    printf(",%u", each[static_cast<size_t>(part * kLines)]);
  printf("\n");
}

}  // namespace

int main() {
  std::vector<unsigned> order(kLines), words(kLines * kLineWords);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  for (int i = 0; i < kLines; ++i) words[order[i] * kLineWords] = order[(i + 1) % kLines] * kLineWords;
  CHECK(cudaMalloc(&next, words.size() * sizeof(unsigned)));
  CHECK(cudaMalloc(&clocks, kLines * sizeof(unsigned)));
  CHECK(cudaMalloc(&sink, sizeof(unsigned)));
  CHECK(cudaMalloc(&other, kOtherBytes));
  CHECK(cudaMemset(other, 0, kOtherBytes));
  CHECK(cudaMemcpy(next, words.data(), words.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaFuncSetAttribute(chase, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10));
  print("warm-up", 0, false);
  printf("what,sm,mean,p1,p10,p25,p50,p75,p90,p95,p98,p99\n");
  for (unsigned sm = 0; sm < 132; sm += 4) {
    empty_l2();
    print("cold", sm);
    empty_l2();
    print("cold", 0, false);
    print("after", sm);
    print("again", sm);
  }
  CHECK(cudaDeviceSynchronize());
  return 0;
}
