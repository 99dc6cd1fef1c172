//: launch.block = [16, 16]
//: launch.grid = [1, 1]
//: arrays.acc = { space = "shared", shape = [16, 16] }
extern "C" __global__ void sum_rows(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float acc[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  acc[ty][tx] = 0.0f;
#pragma unroll 1
  for (int k = tx; k < K; k += 16)
    acc[ty][tx] += A[ty * K + k];
  C[ty * N + tx] = acc[ty][tx];
}
