//: launch.block = 64
//: launch.grid = 1
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t < 32) {
    s[t] = A[t];
  } else {
    s[t] = A[t] * 2.0f;
  }
  __syncthreads();
  C[t] = s[63 - t];
}
