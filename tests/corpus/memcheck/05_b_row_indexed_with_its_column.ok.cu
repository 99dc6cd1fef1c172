//: size = "M=16,N=64,K=16"
//: launch.block = 64
//: launch.grid = ["N / 64", "M / 16"]
//: arrays.Bs = { space = "shared", shape = [16, 64] }
extern "C" __global__ void load_b(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float Bs[16][64];
  const int b_col = threadIdx.x;
#pragma unroll 1
  for (int offset = 0; offset < 16; ++offset)
    Bs[offset][b_col] = B[offset * N + b_col];
  C[b_col] = Bs[0][b_col];
}
