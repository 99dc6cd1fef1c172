// Rows are 17 apart in an array of 16 by 16.
//: launch.block = [16, 16]
//: launch.grid = [1, 1]
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[16 * 16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  s[ty * 17 + tx] = A[ty * K + tx];  // expect: out-of-bounds
  __syncthreads();
  C[ty * N + tx] = s[tx * 17 + ty];
}
