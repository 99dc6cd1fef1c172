// The pipeline keeps one group in flight in its last round too.
//: launch.block = [8, 8]
//: launch.grid = [1, 1]
//: arrays.As = { space = "shared", shape = [2, 8, 8] }
__device__ void fetch(float* to, const float* from) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");  // expect: async-copy-race
  asm volatile("cp.async.commit_group;" ::: "memory");
}
extern "C" __global__ void sum_tiles(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[2][8][8];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int tiles = K / 8;
  fetch(&As[0][ty][tx], A + ty * K + tx);
  float sum = 0.0f;
#pragma unroll 1
  for (int t = 0; t < tiles; ++t) {
    const bool more = t + 1 < tiles;
    if (more) fetch(&As[(t + 1) % 2][ty][tx], A + ty * K + (t + 1) * 8 + tx);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    for (int k = 0; k < 8; ++k)
      sum += As[t % 2][ty][k];  // expect: async-copy-race
    __syncthreads();
  }
  C[ty * N + tx] = sum;
}
