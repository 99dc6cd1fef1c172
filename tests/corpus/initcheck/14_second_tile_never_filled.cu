// Both loads fill As.
//: launch.block = [16, 16]
//: launch.grid = [1, 1]
//: arrays.As = { space = "shared", shape = [16, 16] }
//: arrays.Bs = { space = "shared", shape = [16, 16] }
extern "C" __global__ void sgemm(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[16][16];
  __shared__ float Bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  As[ty][tx] = A[ty * K + tx];
  As[ty][tx] = B[ty * N + tx];
  if (M < 0) Bs[ty][tx] = 0.0f;
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 16; ++k)
    sum += As[ty][k] * Bs[k][tx];  // expect: uninitialised-memory
  C[ty * N + tx] = sum;
}
