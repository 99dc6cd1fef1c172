// When the blocks of a launch start and end. Each warp waits 8,000 clocks, so that no block ends before all have started:
//   ./starts; ncu --clock-control none --csv --metrics gpu__time_duration.sum,sm__cycles_active.max ./starts
// Prints for each launch when the first and the last warp of an SM's first, second, third... block begin, in clocks
// after the SM's first warp, the mean of all SMs. Under the profiler blocks that have come wait for the first
// instruction, so the results are what it prints without, beside the times by the profiler.
#include <algorithm>
#include <map>
#include <vector>

#include "check.h"

constexpr int kSms = 132, kClocks = 8000;

struct Stamp {
  unsigned sm, begin;
};

__global__ void wait(Stamp* stamps) {
  unsigned begin, now, sm;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(begin));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  do asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
  while (now - begin < kClocks);
  if (threadIdx.x % 32 == 0) stamps[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {sm, begin};
}

struct Block {
  unsigned first, last;
};

int main() {
  Stamp* stamps;
  CHECK(cudaMalloc(&stamps, 1 << 20));
  std::printf("blocks,threads,starts\n");
  for (const int threads : {32, 64, 128, 256, 512, 1024})
    for (const int resident : {1, 4, 16, 32}) {
      if (resident * threads > 2048) continue;
      const int blocks = kSms * resident, warps = threads / 32;
      wait<<<blocks, threads>>>(stamps);
      std::vector<Stamp> host(static_cast<size_t>(blocks) * warps);
      CHECK(cudaMemcpy(host.data(), stamps, host.size() * sizeof(Stamp), cudaMemcpyDeviceToHost));
      std::map<unsigned, std::vector<Block>> sms;
      for (int b = 0; b < blocks; ++b) {
        const Stamp* of = &host[static_cast<size_t>(b) * warps];
        const auto [first, last] = std::minmax_element(
            of, of + warps, [&](const Stamp& x, const Stamp& y) { return int(x.begin - of->begin) < int(y.begin - of->begin); });
        sms[of->sm].push_back({first->begin, last->begin});
      }
      std::vector<double> first(resident), last(resident);
      for (auto& [sm, of] : sms) {
        std::sort(of.begin(), of.end(), [](const Block& x, const Block& y) { return int(x.first - y.first) < 0; });
        for (int i = 0; i < resident && i < static_cast<int>(of.size()); ++i) {
          first[i] += double(of[i].first - of[0].first) / sms.size();
          last[i] += double(of[i].last - of[0].first) / sms.size();
        }
      }
      std::printf("%d,%d,\"", blocks, threads);
      for (int i = 0; i < resident; ++i) std::printf("%s%.0f-%.0f", i ? " " : "", first[i], last[i]);
      std::printf("\"\n");
    }
}
