// The rows of C are taken to be K long.
//: size = "M=16,N=16,K=32"
//: launch.block = [16, 16]
//: launch.grid = ["N / 16", "M / 16"]
extern "C" __global__ void sgemm(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * K + col] = sum;  // expect: out-of-bounds
}
