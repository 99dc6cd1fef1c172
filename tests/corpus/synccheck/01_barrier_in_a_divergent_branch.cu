// Half of each warp waits at a barrier that the other half never reaches.
//: launch.block = 64
//: launch.grid = 1
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t % 32 < 16) {
    s[t] = A[t];
    __syncthreads();  // expect: divergent-barrier
    C[t] = s[t / 32 * 32 + 15 - t % 32];
  }
}
