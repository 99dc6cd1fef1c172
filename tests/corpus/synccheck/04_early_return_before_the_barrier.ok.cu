//: size = "M=24,N=32,K=16"
//: launch.block = [32, 16]
//: launch.grid = [1, 2]
extern "C" __global__ void sgemm(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty;
  if (tx < 16) As[ty][tx] = row < M ? A[row * K + tx] : 0.0f;
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 16; ++k) sum += As[ty][k] * B[k * N + tx];
  if (row < M) C[row * N + tx] = sum;
}
