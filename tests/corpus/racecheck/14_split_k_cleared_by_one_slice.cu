// The first slice clears C while the others may already add to it.
//: launch.block = [16, 16]
//: launch.grid = ["N / 16", "M / 16", 2]
//: arrays.C = { role = "inout", shape = ["M", "N"] }
extern "C" __global__ void sgemm(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  const int from = blockIdx.z * (K / 2), to = from + K / 2;
  if (blockIdx.z == 0) C[row * N + col] = 0.0f;  // expect: write-write-race
  float sum = 0.0f;
#pragma unroll 1
  for (int k = from; k < to; ++k) sum += A[row * K + k] * B[k * N + col];
  atomicAdd(&C[row * N + col], sum);  // expect: write-write-race
}
