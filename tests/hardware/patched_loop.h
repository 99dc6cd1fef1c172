#pragma once
// A loop whose instructions are written into its machine code: 256 FMAs in the place of which others can be put. What
// includes this is compiled twice, to a program and to the cubin that it loads.
#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "check.h"
#include "turn_clocks.h"

constexpr int kTurns = 400, kInstructions = 256;

/// `kInstructions` a turn, by the warps of those schedulers for which `schedulers` has a bit.
extern "C" __global__ void __launch_bounds__(512) turns(float* out, long long* clocks, int turns, int schedulers) {
  __shared__ float room[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) room[i] = i;
  float sums[64];
  for (int i = 0; i < 64; ++i) sums[i] = __int_as_float(threadIdx.x * i);
  __syncthreads();
  if (!(schedulers >> threadIdx.x / 32 % 4 & 1)) return;
  const long long start = clock64();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < kInstructions; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(sums[i % 64]));
  }
  const long long end = clock64();
  int sum = __float_as_int(room[threadIdx.x * 7 % 1024]);
  for (float each : sums) sum ^= __float_as_int(each);
  out[blockIdx.x * blockDim.x + threadIdx.x] = __int_as_float(sum);
  if (threadIdx.x % 32 == 0) {
    clocks[2 * (blockIdx.x * kMostWarps + threadIdx.x / 32)] = start;
    clocks[2 * (blockIdx.x * kMostWarps + threadIdx.x / 32) + 1] = end;
  }
}

/// A machine instruction.
struct Bits {
  uint64_t low, high;
};
constexpr uint64_t kFma = 0x223;
/// Of an instruction's upper half: how the scheduler goes on after it. No scoreboards.
inline uint64_t control(int stall, bool yields) {
  return uint64_t{7} << 46 | uint64_t{7} << 49 | uint64_t(stall) << 41 | uint64_t{!yields} << 45;
}

class PatchedLoop {
 public:
  /// Of that cubin, and the first GPU.
  explicit PatchedLoop(const char* name) {
    std::ifstream file(name, std::ios::binary);
    cubin_ = {std::istreambuf_iterator<char>(file), {}};
    for (size_t at = 0; at + 16 <= cubin_.size(); at += 16) {
      Bits bits;
      std::memcpy(&bits, cubin_.data() + at, 16);
      if ((bits.low & 0xfff) == kFma) places_.push_back(at);
    }
    if (places_.size() != kInstructions) {
      std::fprintf(stderr, "another loop than expected: %zu FMAs\n", places_.size());
      std::exit(1);
    }
    for (const size_t at : places_) {
      const uint64_t r = static_cast<uint8_t>(cubin_[at + 2]);
      if (std::find(registers[r % 2].begin(), registers[r % 2].end(), r) == registers[r % 2].end())
        registers[r % 2].push_back(r);
    }
    for (auto& bank : registers) std::sort(bank.begin(), bank.end());
    CHECK(cuInit(0));
    CUcontext context;
    CHECK(cuDevicePrimaryCtxRetain(&context, 0));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuMemAlloc(&out_, kSms * 512 * 4));
    CHECK(cuMemAlloc(&clocks_, 2 * kSms * kMostWarps * 8));
  }

  void put(size_t i, Bits bits) { std::memcpy(cubin_.data() + places_[i], &bits, 16); }

  /// Clocks of a turn for each number of warps, from the first warp's start to the last one's end: of all SMs the
  /// median, of three launches the least.
  std::vector<double> measure(const std::vector<int>& warps, int schedulers = 15) {
    CUmodule module;
    CUfunction function;
    CHECK(cuModuleLoadData(&module, cubin_.data()));
    CHECK(cuModuleGetFunction(&function, module, "turns"));
    std::vector<double> clocks;
    for (const int each : warps) clocks.push_back(clocks_of_turn(function, each, schedulers));
    CHECK(cuModuleUnload(module));
    return clocks;
  }

  std::vector<uint64_t> registers[2];  ///< Even and odd ones that the loop may use, ascending.

 private:
  double clocks_of_turn(CUfunction function, int warps, int schedulers) {
    static WarpClocks clocks;
    int turns = kTurns;
    void* arguments[] = {&out_, &clocks_, &turns, &schedulers};
    double least = 1e30;
    for (int again = 0; again < 3; ++again) {
      CHECK(cuMemsetD8(clocks_, 0, sizeof clocks));
      CHECK(cuLaunchKernel(function, kSms, 1, 1, warps * 32, 1, 1, 0, nullptr, arguments, nullptr));
      CHECK(cuMemcpyDtoH(clocks, clocks_, sizeof clocks));
      least = std::min(least, median_of_sms(clocks, warps) / kTurns);
    }
    return least;
  }

  std::string cubin_;
  std::vector<size_t> places_;
  CUdeviceptr out_ = 0, clocks_ = 0;
};

inline std::string times(const std::string& text, int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}
