// The consumers arrive at the mbarrier but do not wait for its phase.
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
  s[t] = A[t];  // expect: read-write-race
  unsigned long long phase;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(phase) : "r"(at) : "memory");
  C[t] = s[63 - t];  // expect: read-write-race
}
