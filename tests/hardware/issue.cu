// How fast an SM issues loops of FMAs as ptxas writes them, with and without loads from shared memory, by how many
// warps share a scheduler and by how long the loop is; see tests/hardware/README.md. nvcc -O3 -std=c++17 -arch=sm_90
#include <algorithm>
#include <cstdio>

#include "turn_clocks.h"

enum Mode { LoadsFirst, LoadsAhead, FmasAlone, LoadsFirstBarrier, FmasAloneBarrier };

/// An outer product of TM x TN for each thread, written out for `Steps` values of k, again and again.
template <int TM, int TN, int Steps, Mode mode>
__global__ void __launch_bounds__(TM* TN >= 128 ? 384 : 512)
    products(float* out, int turns, int rows_of_warp, int columns_of_warp, long long* clocks) {
  constexpr int kDepth = 16, kWidth = 128;
  constexpr bool kLoads = mode != FmasAlone && mode != FmasAloneBarrier, kAhead = mode == LoadsAhead;
  __shared__ __align__(16) float As[kDepth * kWidth], Bs[kDepth * kWidth];
  for (int i = threadIdx.x; i < kDepth * kWidth; i += blockDim.x) As[i] = i * 1e-3f, Bs[i] = i * 2e-3f;
  __syncthreads();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float* a = As + (lane / 8 * 4 + warp * rows_of_warp) % 64;
  const float* b = Bs + (lane % 8 * 4 + warp * columns_of_warp) % 64;
  float sums[TM][TN], m[2][TM], n[2][TN];
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j) sums[i][j] = lane * i + j;
  const auto load = [&](int k, int slot) {
#pragma unroll
    for (int i = 0; i < TM; i += 4)
      *reinterpret_cast<float4*>(&m[slot][i]) = *reinterpret_cast<const float4*>(a + k % kDepth * kWidth + i * 4);
#pragma unroll
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<float4*>(&n[slot][j]) = *reinterpret_cast<const float4*>(b + k % kDepth * kWidth + j * 8 % 64);
  };
  load(0, 0), load(1, 1);
  __syncthreads();
  const long long start = clock64();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    if (kLoads) asm volatile("" ::: "memory");
#pragma unroll
    for (int k = 0; k < Steps; ++k) {
      const int slot = kAhead || !kLoads ? k % 2 : 0;
      if (kLoads) {
        load(kAhead ? k + 1 : k, kAhead ? 1 - slot : 0);
      } else {  // The compiler may not know that the factors stay the same.
#pragma unroll
        for (int i = 0; i < TM; ++i) asm volatile("" : "+f"(m[slot][i]));
#pragma unroll
        for (int j = 0; j < TN; ++j) asm volatile("" : "+f"(n[slot][j]));
      }
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] += m[slot][i] * n[slot][j];
    }
    if (mode >= LoadsFirstBarrier) __syncthreads();
  }
  const long long end = clock64();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j) sum += sums[i][j];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (lane == 0) {
    clocks[2 * (blockIdx.x * kMostWarps + warp)] = start;
    clocks[2 * (blockIdx.x * kMostWarps + warp) + 1] = end;
  }
}

float* out;
long long* on_device;
WarpClocks clocks;

/// Clocks of a turn, from the first warp's start to the last one's end: of all SMs the median, of four launches the
/// least.
template <int TM, int TN, int Steps, Mode mode>
void measure() {
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, products<TM, TN, Steps, mode>);
  for (int warps = 4; warps <= kMostWarps && warps * 32 <= attributes.maxThreadsPerBlock; warps += 4) {
    const int turns = std::max(20, 128000 / (Steps * TM * TN));
    double least = 1e30;
    for (int again = 0; again < 4; ++again) {
      products<TM, TN, Steps, mode><<<kSms, warps * 32>>>(out, turns, 4, 8, on_device);
      cudaMemcpy(clocks, on_device, sizeof clocks, cudaMemcpyDeviceToHost);
      least = std::min(least, median_of_sms(clocks, warps) / turns);
    }
    const char* names[] = {"loads first", "loads ahead", "FMAs alone", "loads first + barrier", "FMAs alone + barrier"};
    if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess)
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::printf("%d,%d,%d,%s,%d,%.2f\n", TM, TN, Steps, names[mode], warps / 4, least);
  }
}

template <int... Steps>
void measure_lengths() {
  (measure<8, 8, Steps, FmasAlone>(), ...);
}

int main() {
  cudaMalloc(&out, kSms * 512 * sizeof(float)), cudaMalloc(&on_device, sizeof clocks);
  std::printf("tm,tn,steps,mode,warps_of_a_scheduler,clocks_of_a_turn\n");
  measure<8, 8, 8, LoadsFirst>(), measure<8, 8, 8, LoadsAhead>(), measure<8, 8, 8, LoadsFirstBarrier>();
  measure<4, 4, 16, LoadsFirst>(), measure<4, 8, 16, LoadsFirst>(), measure<8, 4, 16, LoadsFirst>();
  measure<8, 16, 4, LoadsFirst>(), measure<8, 16, 4, LoadsAhead>(), measure<8, 16, 4, LoadsFirstBarrier>();
  measure<16, 8, 4, LoadsFirst>(), measure<16, 8, 4, LoadsAhead>(), measure<16, 4, 8, LoadsFirst>();
  measure<4, 16, 8, LoadsFirst>(), measure<4, 8, 16, FmasAlone>(), measure<8, 16, 4, FmasAlone>();
  measure_lengths<8, 16, 24, 28, 32, 36, 48>();  // 8 to 49 KB of machine code.
  measure<8, 16, 32, FmasAlone>(), measure<8, 16, 48, FmasAlone>(), measure<8, 16, 64, FmasAlone>();
  measure<8, 16, 32, FmasAloneBarrier>();
}
