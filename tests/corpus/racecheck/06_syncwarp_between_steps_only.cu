// Lane t + half writes in the same step what lane t reads; all lanes take part where half of them should.
//: launch.block = 32
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [64] }
extern "C" __global__ void sum_warp(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = A[t];
  s[t + 32] = 0.0f;
  __syncwarp();
#pragma unroll 1
  for (int half = 16; half > 0; half /= 2) {
    float sum = s[t] + s[t + half];  // expect: read-write-race
    s[t] = sum;                      // expect: read-write-race
    __syncwarp();
  }
  if (t == 0) C[0] = s[0];
}
