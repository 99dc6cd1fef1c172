// The first round reads a buffer that nobody has filled.
//: launch.block = [16, 16]
//: launch.grid = [1, 1]
//: arrays.As = { space = "shared", shape = [2, 16, 16] }
extern "C" __global__ void sum_tiles(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[2][16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0.0f;
  int now = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += 16) {
    if (k0 + 16 < K) As[now ^ 1][ty][tx] = A[ty * K + k0 + 16 + tx];
#pragma unroll 1
    for (int k = 0; k < 16; ++k)
      sum += As[now][ty][k];  // expect: uninitialised-memory
    __syncthreads();
    now ^= 1;
  }
  C[ty * N + tx] = sum;
}
