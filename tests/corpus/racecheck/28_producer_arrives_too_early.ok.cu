//: launch.block = 64
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [32] }
extern "C" __global__ void hand_over(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    s[lane] = A[lane];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    C[lane] = s[31 - lane];
  }
}
