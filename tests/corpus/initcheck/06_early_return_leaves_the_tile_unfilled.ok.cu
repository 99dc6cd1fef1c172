//: size = "M=12,N=16,K=16"
//: launch.block = [16, 16]
//: launch.grid = [1, 1]
//: arrays.Bs = { space = "shared", shape = [16, 16] }
extern "C" __global__ void sgemm(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float Bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  Bs[ty][tx] = B[ty * N + tx];
  __syncthreads();
  if (ty >= M) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < K; ++k)
    sum += A[ty * K + k] * Bs[k][tx];
  C[ty * N + tx] = sum;
}
