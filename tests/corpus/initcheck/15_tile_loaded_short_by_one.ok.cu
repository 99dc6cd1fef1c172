//: launch.block = 16
//: launch.grid = 1
//: arrays.Bs = { space = "shared", shape = [16, 16] }
extern "C" __global__ void column_sums(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float Bs[16][16];
  const int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < 16; ++k) Bs[k][t] = B[k * N + t];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 16; ++k)
    sum += Bs[k][15 - t];
  C[t] = sum;
}
