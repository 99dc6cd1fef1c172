// C = A * B: a thread computes TM x TN elements of C.

#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 128
#endif
#ifndef BK
#define BK 8
#endif
#ifndef TM
#define TM 8
#endif
#ifndef TN
#define TN 8
#endif
#define NUM_THREADS ((BM / TM) * (BN / TN))

__global__ void __launch_bounds__(NUM_THREADS)
sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int threadRow = threadIdx.x / (BM / TM) * TM;  // [threadRow]
  const int threadCol = threadIdx.x % (BM / TM) * TN;  // [threadCol]

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

    for (int k = 0; k < BK; ++k) {
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
