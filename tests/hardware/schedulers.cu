// Which scheduler of an SM each warp of a block is on:
//   schedulers > h200_schedulers.csv
// slots: of the blocks of one SM, in the order in which they start, what %warpid says of each warp; % 4 is its
// scheduler.
// alone: us of a launch of which the first warp of each block works alone, with so many blocks for each SM.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "check.h"

namespace {

constexpr int kSms = 132;

__global__ void slots(unsigned* out, int clocks) {
  unsigned warp, sm;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  const long long begin = clock64();
  while (clock64() - begin < clocks) {
  }
  if (threadIdx.x % 32 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sm << 8 | warp;
}

__global__ void __launch_bounds__(1024) alone(unsigned* out, int rounds, unsigned c) {
  unsigned x[4] = {threadIdx.x, threadIdx.x + 1, threadIdx.x + 2, threadIdx.x + 3};
  __syncthreads();
  if (threadIdx.x >= 32) return;
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int i = 0; i < 64; ++i) asm volatile("lop3.b32 %0, %0, %1, %0, 0x96;" : "+r"(x[i % 4]) : "r"(c));
  out[blockIdx.x] = x[0] + x[1] + x[2] + x[3];
}

void print_slots(unsigned* out, int threads, int blocks) {
  const int warps = threads / 32, all = kSms * blocks * warps;
  slots<<<kSms * blocks, threads>>>(out, 30000);
  std::vector<unsigned> each(all);
  CHECK(cudaMemcpy(each.data(), out, all * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (int block = 0; block < kSms * blocks; ++block) {
    if (each[block * warps] >> 8 != each[kSms / 2 * warps] >> 8) continue;
    std::printf("slots,%d,%d,", threads, blocks);
    for (int warp = 0; warp < warps; ++warp) std::printf("%s%u", warp ? " " : "", each[block * warps + warp] & 255);
    std::printf("\n");
  }
}

void print_alone(unsigned* out, int threads, int blocks) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> each;
  for (int i = 0; i < 7; ++i) {
    CHECK(cudaEventRecord(begin));
    alone<<<kSms * blocks, threads>>>(out, 200, 7);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&each.emplace_back(), begin, end));
  }
  std::sort(each.begin(), each.end());
  std::printf("alone,%d,%d,%.2f\n", threads, blocks, each[3] * 1000);
}

}  // namespace

int main() {
  unsigned* out = nullptr;
  CHECK(cudaMalloc(&out, 1 << 20));
  std::printf("what,threads,blocks_of_an_sm,result\n");
  for (const int threads : {32, 64, 96, 128, 256, 384, 1024}) print_slots(out, threads, threads == 1024 ? 2 : 4);
  for (const int threads : {32, 64, 96, 128, 256, 512})
    for (const int blocks : {1, 2, 3, 4}) print_alone(out, threads, blocks);
  return 0;
}
