// C = A * B: kernel 09 at one setting, without __launch_bounds__, so that the compiler's switches decide.

#ifndef UNROLL
#define UNROLL 1
#endif
#define BM 64
#define BN 64
#define BK 8
#define TM 8
#define TN 8
#define NUM_THREADS ((BM / TM) * (BN / TN))
constexpr int kUnroll = UNROLL;  // nvcc expands no macro behind #pragma unroll

__global__ void sgemm_switches(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int threadRow = threadIdx.x / (BN / TN) * TM;  // corner of the thread's TM x TN, within the block's tile
  const int threadCol = threadIdx.x % (BN / TN) * TN;

  float sums[TM][TN] = {{0.0f}};
  float regM[TM];
  float regN[TN];
  for (int tile = 0; tile < K; tile += BK) {
    for (int i = 0; i < BM * BK; i += NUM_THREADS) {
      const int row = (i + threadIdx.x) / BK;
      const int col = (i + threadIdx.x) % BK;
      As[row][col] = A[(blockRow + row) * K + tile + col];  // [load A]
    }
    for (int i = 0; i < BK * BN; i += NUM_THREADS) {
      const int row = (i + threadIdx.x) / BN;
      const int col = (i + threadIdx.x) % BN;
      Bs[row][col] = B[(tile + row) * N + blockCol + col];  // [load B]
    }
    __syncthreads();  // [tiles ready]

#pragma unroll (kUnroll)
    for (int k = 0; k < BK; ++k) {  // [loop]
#pragma unroll  // registers have no index: only with the loops written out can these arrays live in them
      for (int i = 0; i < TM; ++i)
        regM[i] = As[threadRow + i][k];  // [read As]
#pragma unroll
      for (int j = 0; j < TN; ++j)
        regN[j] = Bs[k][threadCol + j];  // [read Bs]
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j)
          sums[i][j] += regM[i] * regN[j];  // [outer product]
    }
    __syncthreads();  // [tiles used]
  }

#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j)
      C[(blockRow + threadRow + i) * N + blockCol + threadCol + j] = sums[i][j];  // [store C]
}
