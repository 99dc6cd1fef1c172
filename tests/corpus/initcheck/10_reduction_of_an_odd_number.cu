// 48 values are halved as if they were 64.
//: launch.block = 64
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [64] }
extern "C" __global__ void sum_some(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t < 48) s[t] = A[t];
  __syncthreads();
#pragma unroll 1
  for (int half = 32; half > 0; half /= 2) {
    if (t < half)
      s[t] += s[t + half];  // expect: uninitialised-memory
    __syncthreads();
  }
  if (t == 0) C[0] = s[0];
}
