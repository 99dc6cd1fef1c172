// A thread that has enough leaves the loop, and the others wait for it.
//: launch.block = 32
//: launch.grid = 1
extern "C" __global__ void sums(int M, int N, int K, const float* A, const float* B, float* C) {
  const int t = threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) {
    if (i > t) break;
    sum += A[i * K + t];
    __syncthreads();  // expect: divergent-barrier
  }
  C[t] = sum;
}
