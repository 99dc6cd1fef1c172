// The producer warp arrives at the named barrier before it has filled the tile.
//: launch.block = 64
//: launch.grid = 1
//: arrays.s = { space = "shared", shape = [32] }
extern "C" __global__ void hand_over(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float s[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    s[lane] = A[lane];  // expect: read-write-race
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    C[lane] = s[31 - lane];  // expect: read-write-race
  }
}
