// What the smallest launches take, and code that runs once: N FFMA in a row, by 1, 8 and 32 warps, of one block to two
// for each SM.
//   ncu --clock-control none --csv
//     --metrics gpu__time_duration.sum,sm__cycles_active.avg,sm__cycles_active.max ./cold_code
// What the program prints says what each launch is. A median of five runs is a row of the results.
#include "check.h"

template <int N>
__global__ void straight(float* out, float a, float b) {
  float x0 = threadIdx.x, x1 = a, x2 = b, x3 = a + b;
#pragma unroll
  for (int i = 0; i < N / 4; ++i) {
    x0 = x0 * a + b; x1 = x1 * a + b; x2 = x2 * a + b; x3 = x3 * a + b;
  }
  if (x0 + x1 + x2 + x3 == 12345.f) out[threadIdx.x] = x0;
}
__global__ void nothing() {}
__global__ void one_load(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = in[i];
  if (v == 12345.f) out[i] = v;
}
__global__ void one_store(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void load_store(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
template <int N>
__global__ void chase(const int* in, float* out) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < N; ++i) at = in[at + i * 65536 * 8];
  if (at == 12345) out[at] = 1;
}
float *in, *out;
int main() {
  CHECK(cudaMalloc(&in, 64 << 20));
  CHECK(cudaMalloc(&out, 64 << 20));
  CHECK(cudaMemset(in, 0, 64 << 20));
  for (int blocks : {1, 132, 264})
    for (int threads : {32, 256, 1024}) {
#define L(NAME, CALL, ...) CALL<<<blocks, threads>>>(__VA_ARGS__); std::printf("%s,%d,%d\n", NAME, blocks, threads)
      L("nothing", nothing);
      L("one_load", one_load, in, out);
      L("one_store", one_store, out);
      L("load_store", load_store, in, out);
      L("chase_2", (chase<2>), (int*)in, out);
      L("chase_8", (chase<8>), (int*)in, out);
      L("straight_32", straight<32>, out, 1.f, 0.f);
      L("straight_128", straight<128>, out, 1.f, 0.f);
      L("straight_512", straight<512>, out, 1.f, 0.f);
      L("straight_2048", straight<2048>, out, 1.f, 0.f);
      L("straight_6144", straight<6144>, out, 1.f, 0.f);
    }
  CHECK(cudaDeviceSynchronize());
}
