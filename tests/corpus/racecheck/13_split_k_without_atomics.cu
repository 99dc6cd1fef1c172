// Each slice of K adds its part to C with a plain store.
//: launch.block = [16, 16]
//: launch.grid = ["N / 16", "M / 16", 2]
//: arrays.C = { role = "inout", shape = ["M", "N"] }
extern "C" __global__ void sgemm(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  const int from = blockIdx.z * (K / 2), to = from + K / 2;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = from; k < to; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] += sum;  // expect: write-write-race
}
