//: launch.block = 64
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [64] }
extern "C" __global__ void reverse(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[64];
  __shared__ unsigned long long bar;
  const int t = threadIdx.x;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  s[t] = A[t];
  unsigned long long phase;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(phase) : "r"(at) : "memory");
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(at), "l"(phase) : "memory");
  C[t] = s[63 - t];
}
