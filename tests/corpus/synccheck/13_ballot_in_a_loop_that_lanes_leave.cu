// Lanes leave the loop one after another, and the ballot goes on asking all.
//: launch.block = 32
//: launch.grid = 1
extern "C" __global__ void votes(int M, int N, int K, const float* A, const float* B, float* C) {
  const int t = threadIdx.x;
  unsigned seen = 0;
#pragma unroll 1
  for (int i = 0; i <= t; ++i)
    seen += __ballot_sync(0xffffffff, A[i] > 0.0f);  // expect: deadlock
  __syncthreads();
  C[t] = static_cast<float>(seen);
}
