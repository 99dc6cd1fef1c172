// A counting barrier in a branch that half of the threads take.
//: launch.block = 64
//: launch.grid = 1
extern "C" __global__ void count(int M, int N, int K, const float* A, const float* B, float* C) {
  const int t = threadIdx.x;
  if (t % 2 == 0) {
    const int above = __syncthreads_count(A[t] > 0.0f);  // expect: divergent-barrier
    C[t] = above;
  }
}
