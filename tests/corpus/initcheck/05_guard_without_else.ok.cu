//: size = "M=16,N=16,K=12"
//: launch.block = [16, 16]
//: launch.grid = [1, 1]
//: arrays.As = { space = "shared", shape = [16, 16] }
extern "C" __global__ void sum_rows(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  As[ty][tx] = tx < K ? A[ty * K + tx] : 0.0f;
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 16; ++k)
    sum += As[ty][k];
  C[ty * N + tx] = sum;
}
