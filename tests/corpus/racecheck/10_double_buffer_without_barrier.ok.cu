//: launch.block = [16, 16]
//: launch.grid = ["N / 16", "M / 16"]
//: arrays.As = { space = "shared", shape = [2, 16, 16] }
//: arrays.Bs = { space = "shared", shape = [2, 16, 16] }
extern "C" __global__ void sgemm(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[2][16][16];
  __shared__ float Bs[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  As[0][ty][tx] = A[row * K + tx];
  Bs[0][ty][tx] = B[ty * N + col];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 1
  for (int k0 = 0, now = 0; k0 < K; k0 += 16, now ^= 1) {
    if (k0 + 16 < K) {
      As[now ^ 1][ty][tx] = A[row * K + k0 + 16 + tx];
      Bs[now ^ 1][ty][tx] = B[(k0 + 16 + ty) * N + col];
    }
    for (int k = 0; k < 16; ++k)
      sum += As[now][ty][k] * Bs[now][k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}
