// The halving loop of a block reduction has no barrier inside.
//: launch.block = 128
//: launch.grid = 1
//: arrays.partial = { space = "shared", shape = [128] }
extern "C" __global__ void sum_row(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float partial[128];
  const int t = threadIdx.x;
  partial[t] = A[t];
  __syncthreads();
#pragma unroll 1
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) {
      float mine = partial[t];
      float other = partial[t + half];  // expect: read-write-race
      partial[t] = mine + other;        // expect: read-write-race
    }
  }
  if (t == 0) C[0] = partial[0];
}
