// The thread's own array has 8 elements, and the loop goes over K.
//: size = "M=8,N=32,K=9"
//: launch.block = 32
//: launch.grid = 1
extern "C" __global__ void history(int M, int N, int K, const float* A, const float* B, float* C) {
  float kept[8];
  const int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < K; ++k)
    kept[k] = A[k] * t;  // expect: out-of-bounds
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < K - 1; ++k) sum += kept[(k * 5 + t) % 8];
  C[t] = sum;
}
