// Each thread waits for its own copies only, then reads those of others.
//: launch.block = [8, 8]
//: launch.grid = [1, 1]
//: arrays.As = { space = "shared", shape = [8, 32] }
extern "C" __global__ void copy_tile(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ __align__(16) float As[8][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&As[ty][tx * 4]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(A + ty * K + tx * 4) : "memory");  // expect: read-write-race
  asm volatile("cp.async.wait_all;" ::: "memory");
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 32; ++k)
    sum += As[tx][k];  // expect: read-write-race
  C[ty * N + tx] = sum;
}
