// One warp waits at barrier 1 first, the other at barrier 2.
//: launch.block = 64
//: launch.grid = 1
extern "C" __global__ void exchange(int M, int N, int K, const float* A, const float* B, float* C) {
  const int t = threadIdx.x;
  const int first = t < 32 ? 1 : 2;
  asm volatile("bar.sync %0, 64;" ::"r"(first) : "memory");  // expect: deadlock
  asm volatile("bar.sync %0, 64;" ::"r"(3 - first) : "memory");
  C[t] = A[t];
}
