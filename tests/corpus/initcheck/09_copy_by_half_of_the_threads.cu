// 16 bytes per thread are enough for 32 threads' share only.
//: launch.block = 64
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [256] }
extern "C" __global__ void stage(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ __align__(16) float s[256];
  const int t = threadIdx.x;
  if (t < 32) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(s + 4 * t));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(A + 4 * t) : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  C[t] = s[255 - t];  // expect: uninitialised-memory
}
