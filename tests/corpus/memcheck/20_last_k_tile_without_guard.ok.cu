//: size = "M=16,N=16,K=24"
//: launch.block = [16, 16]
//: launch.grid = [1, 1]
extern "C" __global__ void sum_rows(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0.0f;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += 16) {
    As[ty][tx] = k0 + tx < K ? A[ty * K + k0 + tx] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += As[ty][k];
    __syncthreads();
  }
  C[ty * N + tx] = sum;
}
