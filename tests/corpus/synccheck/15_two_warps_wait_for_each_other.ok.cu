//: launch.block = 64
//: launch.grid = 1
extern "C" __global__ void exchange(int M, int N, int K, const float* A, const float* B, float* C) {
  const int t = threadIdx.x;
  const int first = 1;
  asm volatile("bar.sync %0, 64;" ::"r"(first) : "memory");
  asm volatile("bar.sync %0, 64;" ::"r"(3 - first) : "memory");
  C[t] = A[t];
}
