// Written with rows 16 apart, read with rows 17 apart.
//: launch.block = [16, 16]
//: launch.grid = [1, 1]
//: arrays.s = { space = "shared", shape = [16, 17] }
extern "C" __global__ void transpose(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[16 * 17];
  const int tx = threadIdx.x, ty = threadIdx.y;
  s[ty * 16 + tx] = A[ty * K + tx];
  __syncthreads();
  C[ty * N + tx] = s[tx * 17 + ty];  // expect: uninitialised-memory
}
