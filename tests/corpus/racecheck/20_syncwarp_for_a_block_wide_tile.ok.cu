//: launch.block = 64
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [64] }
extern "C" __global__ void reverse(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = A[t];
  __syncthreads();
  C[t] = s[63 - t];
}
