// The last warp reduces through volatile shared memory and trusts lockstep, as old samples do.
//: launch.block = 32
//: launch.grid = 1
//: arrays.partial = { space = "shared", shape = [64] }
extern "C" __global__ void sum_warp(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float partial[64];
  const int t = threadIdx.x;
  partial[t] = A[t];
  partial[t + 32] = A[t + 32];
  __syncthreads();
  volatile float* s = partial;
#pragma unroll 1
  for (int half = 16; half > 0; half /= 2) {
    float other = s[t + half];  // expect: read-write-race
    s[t] += other;              // expect: read-write-race
  }
  if (t == 0) C[0] = s[0];
}
