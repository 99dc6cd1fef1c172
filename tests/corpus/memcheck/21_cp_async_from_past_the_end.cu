// The prefetch of a tile that is not there.
//: size = "M=8,N=8,K=32"
//: launch.block = [8, 8]
//: launch.grid = [1, 1]
extern "C" __global__ void sum_tiles(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float As[2][8][8];
  const int tx = threadIdx.x, ty = threadIdx.y;
  As[0][ty][tx] = A[ty * K + tx];
  float sum = 0.0f;
#pragma unroll 1
  for (int t = 0; t < K / 8; ++t) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&As[(t + 1) % 2][ty][tx]));
    const float* from = A + ty * K + (t + 1) * 8 + tx;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");  // expect: out-of-bounds
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += As[t % 2][ty][k];
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
  }
  C[ty * N + tx] = sum;
}
