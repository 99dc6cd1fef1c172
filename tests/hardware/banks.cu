// How long FMAs take by the banks of their registers and by what they keep for reuse. Their operands are written into
// the machine code:
//   nvcc -cubin -arch=sm_90 -o banks.cubin banks.cu && nvcc -O2 -std=c++17 -arch=sm_90 -o banks banks.cu -lcuda
//   ./banks banks.cubin > results/h200_banks.csv
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

constexpr int kTurns = 400, kFmas = 256;

/// `kFmas` FMAs a turn.
extern "C" __global__ void __launch_bounds__(512) turns(float* out, long long* clocks, int turns) {
  float sums[64];
  for (int i = 0; i < 64; ++i) sums[i] = __int_as_float(threadIdx.x * i);
  __syncthreads();
  const long long start = clock64();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < kFmas; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(sums[i % 64]));
  }
  const long long end = clock64();
  int sum = 0;
  for (float each : sums) sum ^= __float_as_int(each);
  out[blockIdx.x * blockDim.x + threadIdx.x] = __int_as_float(sum);
  if (threadIdx.x % 32 == 0) {
    clocks[2 * (blockIdx.x * kMostWarps + threadIdx.x / 32)] = start;
    clocks[2 * (blockIdx.x * kMostWarps + threadIdx.x / 32) + 1] = end;
  }
}

struct Bits {
  uint64_t low, high;
};
constexpr uint64_t kFma = 0x223;

/// `pattern`: three letters an instruction, its operands. e, o: another even or odd register each time; x, y: the same
/// one; E, O and P, Q: the same two, kept for reuse. What it writes is its third operand, or another even one.
std::string patched(std::string cubin, const std::string& pattern, int stall, bool yields) {
  std::vector<size_t> fmas;
  for (size_t at = 0; at + 16 <= cubin.size(); at += 16) {
    Bits bits;
    std::memcpy(&bits, cubin.data() + at, 16);
    if ((bits.low & 0xfff) == kFma) fmas.push_back(at);
  }
  if (fmas.size() != kFmas) {
    std::fprintf(stderr, "another loop than expected: %zu FMAs\n", fmas.size());
    std::exit(1);
  }
  std::vector<uint64_t> pool[2], fixed[2];
  for (const size_t at : fmas) {
    const uint64_t r = static_cast<uint8_t>(cubin[at + 2]);
    if (std::find(pool[r % 2].begin(), pool[r % 2].end(), r) == pool[r % 2].end()) pool[r % 2].push_back(r);
  }
  for (int bank = 0; bank < 2; ++bank)
    for (int i = 0; i < 6; ++i) fixed[bank].push_back(pool[bank].back()), pool[bank].pop_back();
  size_t next[2] = {};
  const auto another = [&](int bank) { return pool[bank][next[bank]++ % pool[bank].size()]; };
  // No scoreboards.
  const uint64_t control = uint64_t{7} << 46 | uint64_t{7} << 49 | uint64_t(stall) << 41 | uint64_t{!yields} << 45;
  for (size_t i = 0; i < fmas.size(); ++i) {
    const char* letters = pattern.data() + i * 3 % pattern.size();
    uint64_t operand[3], keeps = 0;
    for (int slot = 0; slot < 3; ++slot) {
      const int bank = std::strchr("oyOQ", letters[slot]) != nullptr;
      const bool moves = letters[slot] == 'e' || letters[slot] == 'o';
      operand[slot] = moves ? another(bank) : fixed[bank][slot + 3 * (letters[slot] == 'P' || letters[slot] == 'Q')];
      if (std::strchr("EOPQ", letters[slot])) keeps |= uint64_t{1} << slot;
    }
    const uint64_t written = letters[2] == 'e' || letters[2] == 'o' ? operand[2] : another(0);
    const Bits bits{0x7000 | kFma | written << 16 | operand[0] << 24 | operand[1] << 32,
                    control | operand[2] | keeps << 58};
    std::memcpy(cubin.data() + fmas[i], &bits, 16);
  }
  return cubin;
}

CUdeviceptr out, on_device;

/// Clocks of a turn, from the first warp's start to the last one's end: of all SMs the median, of three launches the least.
double clocks_of_turn(CUfunction function, int warps) {
  static WarpClocks clocks;
  int turns = kTurns;
  void* arguments[] = {&out, &on_device, &turns};
  double least = 1e30;
  for (int again = 0; again < 3; ++again) {
    CHECK(cuLaunchKernel(function, kSms, 1, 1, warps * 32, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuMemcpyDtoH(clocks, on_device, sizeof clocks));
    least = std::min(least, median_of_sms(clocks, warps) / kTurns);
  }
  return least;
}

std::string cubin;

void measure(const std::string& pattern, int stall = 1, bool yields = false) {
  CUmodule module;
  CUfunction function;
  CHECK(cuModuleLoadData(&module, patched(cubin, pattern, stall, yields).data()));
  CHECK(cuModuleGetFunction(&function, module, "turns"));
  for (int warps = 4; warps <= kMostWarps; warps += 4)
    std::printf("%s,%d,%d,%d,%.2f\n", pattern.c_str(), stall, yields, warps / 4, clocks_of_turn(function, warps));
  CHECK(cuModuleUnload(module));
}

std::string times(const std::string& text, int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

int main(int, char** names) {
  std::ifstream file(names[1], std::ios::binary);
  cubin = {std::istreambuf_iterator<char>(file), {}};
  CHECK(cuInit(0));
  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuMemAlloc(&out, kSms * 512 * 4));
  CHECK(cuMemAlloc(&on_device, 2 * kSms * kMostWarps * 8));
  std::printf("pattern,stall,yields,warps_of_a_scheduler,clocks_of_a_turn\n");
  for (const char* pattern : {"EOE", "eoe", "eoeoeo", "eee", "eeo", "oee", "eeeooo", "Eoe", "Eeo", "Eee", "EOe", "EOo", "xoe",
                              "xye", "xyx", "xyy", "EoeEoo", "EeoOoe", "EoeOeo"})
    for (int stall : {1, 2})
      for (bool yields : {false, true}) measure(pattern, stall, yields);
  const char* after[][2] = {{"oeo", "EOE"}, {"ooo", "EEE"}, {"oooooo", "EEE"}, {"EooEoo", "EEE"}, {"oooEoo", "EEE"},
                            {"Eooooo", "EEE"}, {"ooo", "EOE"}, {"oeoeoe", "EOE"}, {"eoe", "EOE"}, {"eee", "EOE"},
                            {"eoeeoe", "EOE"}, {"eoeoeo", "EOE"}, {"oooeee", "EEE"}, {"eoe", "Eoe"}, {"eee", "Eoe"},
                            {"xoe", "Eoe"}};
  for (const auto& [first, rest] : after)
    for (int n : {1, 2, 3, 4, 6, 9}) measure(first + times(rest, n));
  for (int n : {1, 2, 3, 4, 8})
    for (const char* other : {"POP", "PPP", "PEE", "PPE", "QQQ"})
      measure(times(other[1] == 'O' ? "EOE" : "EEE", n) + times(other, n));
}
