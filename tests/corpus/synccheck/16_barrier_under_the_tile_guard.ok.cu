//: launch.block = 64
//: launch.grid = 1
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[48];
  const int t = threadIdx.x;
  if (t < 48) {
    s[t] = A[t];
  }
  __syncthreads();
  if (t < 48) C[t] = s[47 - t];
}
