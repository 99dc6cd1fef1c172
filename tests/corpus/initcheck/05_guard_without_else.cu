// Past the end of K the tile keeps what it had, and in the first block that is nothing.
//: size = "M=16,N=16,K=12"
//: launch.block = [16, 16]
//: launch.grid = [1, 1]
//: arrays.As = { space = "shared", shape = [16, 16] }
extern "C" __global__ void sum_rows(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  if (tx < K) As[ty][tx] = A[ty * K + tx];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 16; ++k)
    sum += As[ty][k];  // expect: uninitialised-memory
  C[ty * N + tx] = sum;
}
