// C is advanced by K columns a row of blocks where it has N, so blocks write each other's rows.
//: size = "M=32,N=32,K=16"
//: launch.block = [16, 16]
//: launch.grid = ["N / 16", "M / 16"]
extern "C" __global__ void sgemm(int M, int N, int K, const float* A, const float* B, float* C) {
  const int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;
  A += by * 16 * K;
  B += bx * 16;
  C += by * 16 * K + bx * 16;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < K; ++k) sum += A[ty * K + k] * B[k * N + tx];
  C[ty * N + tx] = sum;  // expect: write-write-race
}
