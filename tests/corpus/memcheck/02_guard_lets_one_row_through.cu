// <= in the guard.
//: size = "M=31,N=32,K=8"
//: launch.block = [16, 16]
//: launch.grid = ["ceil_div(N, 16)", "ceil_div(M, 16)"]
extern "C" __global__ void sgemm(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row <= M && col < N) {
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;  // expect: out-of-bounds
  }
}
