// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// A block computes BM x BN of C, a thread TM x TN of it: TM elements of As and TN of Bs, once in registers, serve
// TM * TN products.

#ifndef BM
#define BM 64
#endif
#ifndef BN
#define BN 64
#endif
#ifndef BK
#define BK 32
#endif
#ifndef TM
#define TM 4
#endif
#ifndef TN
#define TN 4
#endif
#define NUM_THREADS ((BM / TM) * (BN / TN))

__global__ void __launch_bounds__(NUM_THREADS)
sgemm_thread_tile_2d(const float *A, const float *B, float *C, int M, int N, int K) {
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
