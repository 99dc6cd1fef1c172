// Clocks for which an instruction keeps its pipe from the next one of the same scheduler, and its latency:
//   rates > h200_rates.csv
// A row is an instruction, or two in turn (X_then_Y: Y reads what X gives), that depend on nothing but themselves a round
// before (chains: of each thread) on an SM with so many warps for each scheduler: the clocks of a scheduler for each
// instruction of a warp. ptxas adds others: to 32 IMAD.WIDE 18 IMAD.X and 47 IADD3; of 32 IMAD_WIDE_ALONE 8 are IMAD.WIDE
// and 27 IMAD; to an LDC two that find its address; to the branch that is skipped ISETP, BSSY and BSYNC.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

namespace {

__constant__ unsigned table[4096];
__device__ unsigned long long pointers[8];

constexpr int kRounds = 256, kChains = 8;

struct State {
  unsigned x[kChains], y[kChains];
  unsigned u[kChains];  ///< The same for all threads.
  unsigned shared[kChains];
  unsigned long long global[kChains];  ///< Addresses of words that have these addresses.
  unsigned long long wide[kChains];
  double d[kChains];
};

#define INSTRUCTIONS(X)                                                                                             \
  X(FFMA, asm volatile("{.reg .f32 f; mov.b32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f;}" : "+r"(s.x[i])))       \
  X(FADD, asm volatile("{.reg .f32 f; mov.b32 f, %0; add.f32 f, f, f; mov.b32 %0, f;}" : "+r"(s.x[i])))             \
  X(HFMA2, asm volatile("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(s.x[i])))                                             \
  X(IMAD, asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(s.y[i])))                                                \
  X(IMAD_HI, asm volatile("mad.hi.u32 %0, %0, %1, %2;" : "+r"(s.x[i]) : "r"(b), "r"(c)))                            \
  X(IMAD_WIDE, asm volatile("{.reg .u32 l, h; mov.b64 {l, h}, %0; mad.wide.s32 %0, h, %1, %0;}"                     \
                            : "+l"(s.wide[i])                                                                       \
                            : "r"(b)))                                                                              \
  X(IMAD_WIDE_ALONE, asm volatile("{.reg .u32 l, h; mov.b64 {l, h}, %0; mul.wide.u32 %0, l, %1;}"                   \
                                  : "+l"(s.wide[i])                                                                 \
                                  : "r"(b)))                                                                        \
  X(LOP3, asm volatile("lop3.b32 %0, %0, %1, %0, 0x96;" : "+r"(s.y[i]) : "r"(b)))                                   \
  X(SHF, asm volatile("shf.l.wrap.b32 %0, %0, %0, %1;" : "+r"(s.x[i]) : "r"(b)))                                    \
  X(PRMT, asm volatile("prmt.b32 %0, %0, %1, %0;" : "+r"(s.x[i]) : "r"(b)))                                         \
  X(FMNMX, asm volatile("{.reg .f32 f, g; mov.b32 f, %0; mov.b32 g, %1; min.f32 f, f, g; mov.b32 %0, f;}"           \
                        : "+r"(s.x[i])                                                                              \
                        : "r"(b)))                                                                                  \
  X(POPC, asm volatile("popc.b32 %0, %0;" : "+r"(s.x[i])))                                                          \
  X(FLO, asm volatile("bfind.u32 %0, %0;" : "+r"(s.x[i])))                                                          \
  X(I2FP, asm volatile("{.reg .f32 f; cvt.rn.f32.u32 f, %0; mov.b32 %0, f;}" : "+r"(s.x[i])))                       \
  X(F2I, asm volatile("{.reg .f32 f; mov.b32 f, %0; cvt.rzi.u32.f32 %0, f;}" : "+r"(s.x[i])))                       \
  X(MUFU_EX2, asm volatile("{.reg .f32 f; mov.b32 f, %0; ex2.approx.ftz.f32 f, f; mov.b32 %0, f;}" : "+r"(s.x[i]))) \
  X(DFMA, asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(s.d[i])))                                                \
  X(SHFL, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(s.x[i])))                                     \
  X(S2R, asm volatile("mov.u32 %0, %%warpid;" : "=r"(s.x[i])))                                                      \
  X(LDC_64, {                                                                                                       \
    const ulonglong1 v = reinterpret_cast<const ulonglong1*>(table)[s.wide[i] % 64];                                \
    s.wide[i] = v.x;                                                                                                \
  })                                                                                                                \
  X(LDC, s.x[i] = table[s.x[i] % 64])                                                                               \
  X(FFMA_and_IMAD, asm volatile("{.reg .f32 f; mov.b32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f;}"               \
                                : "+r"(s.x[i]));                                                                    \
    asm volatile("mad.lo.u32 %0, %0, %0, %0;"                                                                       \
                 : "+r"(s.y[i])))                                                                                   \
  X(FFMA_and_IMAD_HI, asm volatile("{.reg .f32 f; mov.b32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f;}"            \
                                   : "+r"(s.x[i]));                                                                 \
    asm volatile("mad.hi.u32 %0, %0, %1, %2;"                                                                       \
                 : "+r"(s.y[i])                                                                                     \
                 : "r"(b), "r"(c)))                                                                                 \
  X(FFMA_and_LOP3, asm volatile("{.reg .f32 f; mov.b32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f;}"               \
                                : "+r"(s.x[i]));                                                                    \
    asm volatile("lop3.b32 %0, %0, %1, %0, 0x96;"                                                                   \
                 : "+r"(s.y[i])                                                                                     \
                 : "r"(b)))                                                                                         \
  X(IMAD_and_LOP3, asm volatile("mad.lo.u32 %0, %0, %0, %0;"                                                        \
                                : "+r"(s.x[i]));                                                                    \
    asm volatile("lop3.b32 %0, %0, %1, %0, 0x96;"                                                                   \
                 : "+r"(s.y[i])                                                                                     \
                 : "r"(b)))                                                                                         \
  X(IMAD_HI_then_LOP3, asm volatile("mul.hi.u32 %0, %0, %1;"                                                        \
                                    : "+r"(s.x[i])                                                                  \
                                    : "r"(b));                                                                      \
    asm volatile("lop3.b32 %0, %0, %1, %0, 0x96;"                                                                   \
                 : "+r"(s.x[i])                                                                                     \
                 : "r"(c)))                                                                                         \
  X(IMAD_HI_and_two_LOP3, asm volatile("mul.hi.u32 %0, %0, %1;"                                                     \
                                       : "+r"(s.x[i])                                                               \
                                       : "r"(b));                                                                   \
    asm volatile("lop3.b32 %0, %0, %2, %3, 0x96; lop3.b32 %1, %1, %2, %3, 0x96;"                                    \
                 : "+r"(s.y[i]), "+r"(s.y[(i + 1) % kChains])                                                       \
                 : "r"(b), "r"(c)))                                                                                 \
  X(IMAD_WIDE_then_LOP3, asm volatile("{.reg .u64 w; .reg .u32 l, h; mul.wide.u32 w, %0, %1; mov.b64 {l, h}, w;"    \
                                      "lop3.b32 %0, l, h, %0, 0x96;}"                                               \
                                      : "+r"(s.x[i])                                                                \
                                      : "r"(b)))                                                                    \
  X(UIMAD, asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(s.u[i]) : "r"(b), "r"(c)))                              \
  X(USHF, asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(s.u[i]) : "r"(b), "r"(c)))                           \
  X(SHFL_then_FADD, asm volatile("{.reg .f32 f, g; shfl.sync.bfly.b32 f, %0, 1, 31, -1; mov.b32 g, %0;"             \
                                 "add.f32 f, f, g; mov.b32 %0, f;}"                                                 \
                                 : "+r"(s.x[i])))                                                                   \
  X(LDS, asm volatile("ld.shared.u32 %0, [%0];" : "+r"(s.shared[i])))                                               \
  X(LDG, asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(s.global[i])))                                            \
  X(LOP3_BSSY_BRA_BSYNC, {                                                                                          \
    asm volatile("lop3.b32 %0, %0, %1, %0, 0x96;" : "+r"(s.x[i]) : "r"(b));                                         \
    if (s.x[i] == 0xffffffff) s.x[i] = atomicAdd(sink, 1);                                                          \
  })                                                                                                                \
  X(MUFU_EX2_and_LOP3, asm volatile("{.reg .f32 f; mov.b32 f, %0; ex2.approx.ftz.f32 f, f; mov.b32 %0, f;}"         \
                                    : "+r"(s.x[i]));                                                                \
    asm volatile("lop3.b32 %0, %0, %1, %0, 0x96;"                                                                   \
                 : "+r"(s.y[i])                                                                                     \
                 : "r"(b)))

#define ENUM(name, ...) name,
enum Which { INSTRUCTIONS(ENUM) kCount };
#define NAME(name, ...) #name,
const char* const kNames[] = {INSTRUCTIONS(NAME)};

template <int which, int chains>
__global__ void __launch_bounds__(1024) rate(unsigned b, unsigned c, long long* clocks, unsigned* sink) {
  __shared__ unsigned words[kChains];
  State s;
  if (threadIdx.x < kChains) {
    words[threadIdx.x] = static_cast<unsigned>(__cvta_generic_to_shared(words + threadIdx.x));
    pointers[threadIdx.x] = reinterpret_cast<unsigned long long>(pointers + threadIdx.x);
  }
  __syncthreads();
  for (int i = 0; i < kChains; ++i) {
    s.x[i] = threadIdx.x * 7 + i + b, s.y[i] = threadIdx.x * 5 + i + b, s.wide[i] = s.x[i] * 0x300000001ull;
    s.d[i] = s.x[i] * 1e-9;
    s.u[i] = b + i, s.shared[i] = words[i], s.global[i] = pointers[i];
  }
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 4
  for (int round = 0; round < kRounds; ++round)
#pragma unroll
    for (int i = 0; i < chains; ++i) {
#define CASE(name, ...)          \
  if constexpr (which == name) { \
    __VA_ARGS__;                 \
  }
      INSTRUCTIONS(CASE)
    }
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) *clocks = end - begin;
  unsigned sum = 0;
  for (int i = 0; i < kChains; ++i)
    sum += s.x[i] + s.y[i] + s.u[i] + s.shared[i] + static_cast<unsigned>(s.global[i]) + static_cast<unsigned>(s.wide[i] >> 7) + static_cast<unsigned>(__double2loint(s.d[i]));
  sink[threadIdx.x] = sum;
}

template <int which, int chains>
void row(int warps, long long* clocks, unsigned* sink) {
  std::vector<long long> each;
  for (int i = 0; i < 7; ++i) {
    rate<which, chains><<<1, 128 * warps>>>(i + 3, i + 5, clocks, sink);
    CHECK(cudaDeviceSynchronize());
    long long took = 0;
    CHECK(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
    each.push_back(took);
  }
  std::sort(each.begin(), each.end());
  std::printf("%s,%d,%d,%.3f\n", kNames[which], chains, warps,
              static_cast<double>(each[3]) / (double{kRounds} * chains * warps));
}

template <int which = 0>
void rows(long long* clocks, unsigned* sink) {
  if constexpr (which < kCount) {
    row<which, 1>(1, clocks, sink);
    row<which, kChains>(1, clocks, sink);
    row<which, kChains>(4, clocks, sink);
    row<which, kChains>(8, clocks, sink);
    rows<which + 1>(clocks, sink);
  }
}

}  // namespace

int main() {
  long long* clocks = nullptr;
  unsigned* sink = nullptr;
  CHECK(cudaMalloc(&clocks, sizeof *clocks));
  CHECK(cudaMalloc(&sink, 4096 * sizeof *sink));
  std::printf("instructions,chains,warps_of_a_scheduler,clocks\n");
  rows(clocks, sink);
  return 0;
}
