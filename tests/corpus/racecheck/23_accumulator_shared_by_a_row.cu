// All threads of a row add to one shared element.
//: launch.block = [16, 16]
//: launch.grid = [1, 1]
//: arrays.rows = { space = "shared", shape = [16] }
extern "C" __global__ void row_sums(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float rows[16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  if (tx == 0) rows[ty] = 0.0f;
  __syncthreads();
  rows[ty] = rows[ty] + A[ty * K + tx];  // expect: write-write-race
  __syncthreads();
  if (tx == 0) C[ty] = rows[ty];
}
