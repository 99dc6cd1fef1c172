// A 3-point stencil without a guard at its right end.
//: size = "M=1,N=64,K=64"
//: launch.block = 64
//: launch.grid = 1
extern "C" __global__ void smooth(int M, int N, int K, const float* A, const float* B, float* C) {
  const int i = threadIdx.x;
  if (i > 0)
    C[i] = A[i - 1] + A[i]
           + A[i + 1];  // expect: out-of-bounds
}
