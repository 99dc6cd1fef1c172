// The left neighbour of element 0.
//: launch.block = 32
//: launch.grid = 1
extern "C" __global__ void difference(int M, int N, int K, const float* A, const float* B, float* C) {
  const int i = threadIdx.x;
  C[i] = A[i] - A[i - 1];  // expect: out-of-bounds
}
