// C = A * B + C / 2, but nobody gave C a value.
//: launch.block = [16, 16]
//: launch.grid = ["N / 16", "M / 16"]
//: arguments = ["M", "N", "K", "A", "B", { name = "weight", type = "f32", value = 0.5 }, "C"]
//: arrays.C = { role = "output", shape = ["M", "N"] }
extern "C" __global__ void sgemm(int M, int N, int K, const float* A, const float* B, float weight, float* C) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum + weight * C[row * N + col];  // expect: uninitialised-memory
}
