// The barrier waits for 64 threads, and 32 come.
//: launch.block = 64
//: launch.grid = 1
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[32];
  const int t = threadIdx.x;
  if (t < 32) {
    s[t] = A[t];
    asm volatile("bar.sync 1, 64;" ::: "memory");  // expect: deadlock
    C[t] = s[31 - t];
  }
}
