//: launch.block = 64
//: launch.grid = 1
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = A[t];
  asm volatile("bar.sync 1, %0;" ::"r"(M + 32) : "memory");
  C[t] = s[63 - t];
}
