//: launch.block = 64
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [128] }
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  for (int i = t; i < 128; i += 64) s[i] = A[i];
  __syncthreads();
  C[t] = s[127 - t];
}
