// How fast the GPU starts blocks:
//   ncu --csv --page raw --cache-control none
//     --metrics gpu__time_duration.sum,sm__cycles_active.avg,sm__cycles_elapsed.max ./blocks
// empty: 64 blocks for each SM that end at once. spin: each warp waits 2,000 clocks in blocks of which an SM holds one,
// then 4,000 in as many as it holds, then 200. store1, load1: a word a thread; load1 twice, the second time from L2.
#include "check.h"

__global__ void empty(float* s) {
  if (s == nullptr) asm volatile("trap;");
}
__global__ void spin(float* s, int clocks) {
  extern __shared__ float t[];
  long long b = clock64();
  while (clock64() - b < clocks)
    ;
  if (s == nullptr) t[threadIdx.x] = 1;
}
__global__ void __launch_bounds__(1024) store1(float* s) { s[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void __launch_bounds__(1024) load1(float* s) {
  float v = s[blockIdx.x * blockDim.x + threadIdx.x];
  if (v == 12345.f) s[0] = 1;
}
int main() {
  float* s;
  CHECK(cudaMalloc(&s, 64 << 20));
  CHECK(cudaMemset(s, 0, 64 << 20));
  CHECK(cudaFuncSetAttribute(spin, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  for (int t : {32, 64, 96, 128, 256, 512, 1024}) empty<<<132 * 64, t>>>(s);
  for (int t : {32, 64, 128, 256, 512, 1024}) spin<<<132 * 8, t, 200 << 10>>>(s, 2000);
  for (int t : {32, 64, 128, 256, 512, 1024}) spin<<<132 * 8 * (2048 / t < 32 ? 2048 / t : 32), t>>>(s, 4000);
  for (int t : {128, 256}) spin<<<132 * 64, t>>>(s, 200);
  for (int t : {32, 64, 128, 256, 512, 1024}) store1<<<(4 << 20) / t, t>>>(s);
  for (int t : {32, 64, 128, 256, 512, 1024})
    for (int i = 0; i < 2; ++i) load1<<<(4 << 20) / t, t>>>(s);
  CHECK(cudaDeviceSynchronize());
}
