// row * stride is computed in 32 bits and wraps before it is divided again.
//: size = "M=32,N=32,K=32"
//: launch.block = [32, 32]
//: launch.grid = [1, 1]
extern "C" __global__ void scale(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = threadIdx.y, col = threadIdx.x;
  const int bytes = row * (N << 23);
  C[(bytes >> 23) + col] = A[row * K + col];  // expect: out-of-bounds
}
