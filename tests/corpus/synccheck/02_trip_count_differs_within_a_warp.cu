// Each thread goes round its own number of times, with a barrier in the loop.
//: launch.block = 32
//: launch.grid = 1
extern "C" __global__ void sums(int M, int N, int K, const float* A, const float* B, float* C) {
  const int t = threadIdx.x;
  const int rounds = t % 4 + 1;
  float sum = 0.0f;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    sum += A[i * K + t];
    __syncthreads();  // expect: divergent-barrier
  }
  C[t] = sum;
}
