// The loads are guarded, the store of the thread tile is not.
//: size = "M=30,N=32,K=8"
//: launch.block = [16, 4]
//: launch.grid = ["ceil_div(N, 16)", "ceil_div(M, 16)"]
extern "C" __global__ void sgemm(int M, int N, int K, const float* A, const float* B, float* C) {
  const int col = blockIdx.x * 16 + threadIdx.x, row0 = blockIdx.y * 16 + threadIdx.y * 4;
  float acc[4] = {};
#pragma unroll 1
  for (int k = 0; k < K; ++k)
    for (int i = 0; i < 4; ++i)
      if (row0 + i < M) acc[i] += A[(row0 + i) * K + k] * B[k * N + col];
  for (int i = 0; i < 4; ++i)
    C[(row0 + i) * N + col] = acc[i];  // expect: out-of-bounds
}
