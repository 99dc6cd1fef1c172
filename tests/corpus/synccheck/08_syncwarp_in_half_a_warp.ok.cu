//: launch.block = 32
//: launch.grid = 1
extern "C" __global__ void halves(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[32];
  const int t = threadIdx.x;
  if (t < 16) {
    s[t] = A[t];
    __syncwarp(0x0000ffff);
    C[t] = s[15 - t];
  }
  __syncthreads();
}
