//: launch.block = 64
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [64] }
extern "C" __global__ void sum_some(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = t < 48 ? A[t] : 0.0f;
  __syncthreads();
#pragma unroll 1
  for (int half = 32; half > 0; half /= 2) {
    if (t < half)
      s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) C[0] = s[0];
}
