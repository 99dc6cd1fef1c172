//: size = "M=8,N=32,K=30"
//: launch.block = [4, 8]
//: launch.grid = 1
extern "C" __global__ void load_rows(int M, int N, int K, const float* A, const float* B, float* C) {
  const int row = threadIdx.y, quad = threadIdx.x;
  const float* v = A + row * K + quad * 4;
  C[row * N + quad] = v[0] + v[1] + v[2] + v[3];
}
