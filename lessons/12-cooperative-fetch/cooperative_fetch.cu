// C = A * B: a block computes BM x BN of C in steps of BK along K. The tiles are fetched as a compiler's schedule
// divides them: both axes of a tile split into PARTS parts, one for each row and column of a block of THREADS x THREADS.
// FETCH says which part of the tile a thread gets: 0: neighbouring elements, a patch; 1: every PARTS-th element.

#ifndef FETCH
#define FETCH 0
#endif
#ifndef BM
#define BM 128
#endif
#ifndef BN
#define BN 64
#endif
#ifndef BK
#define BK 32
#endif
#ifndef PARTS
#define PARTS 16
#endif
#ifndef THREADS
#define THREADS PARTS
#endif
#define TM (BM / PARTS)
#define TN (BN / PARTS)
// The i-th of a thread's `count` places along an axis that is split into PARTS.
#define MINE(part, i, count) (FETCH ? (i) * PARTS + (part) : (part) * (count) + (i))

__global__ void __launch_bounds__(THREADS *THREADS)
sgemm_cooperative_fetch(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];
  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int threadRow = threadIdx.y * TM;
  const int threadCol = threadIdx.x * TN;

  float sums[TM][TN] = {{0.0f}};
  float regM[TM];
  float regN[TN];
  for (int tile = 0; tile < K; tile += BK) {
#pragma unroll
    for (int y = 0; y < BM / PARTS; ++y)
#pragma unroll
      for (int x = 0; x < BK / PARTS; ++x) {
        const int row = MINE(threadIdx.y, y, BM / PARTS);
        const int col = MINE(threadIdx.x, x, BK / PARTS);
        As[row][col] = A[(blockRow + row) * K + tile + col];  // [load A]
      }
#pragma unroll
    for (int y = 0; y < BK / PARTS; ++y)
#pragma unroll
      for (int x = 0; x < BN / PARTS; ++x) {
        const int row = MINE(threadIdx.y, y, BK / PARTS);
        const int col = MINE(threadIdx.x, x, BN / PARTS);
        Bs[row][col] = B[(tile + row) * N + blockCol + col];  // [load B]
      }
    __syncthreads();  // [tiles ready]

    for (int k = 0; k < BK; ++k) {
#pragma unroll
      for (int i = 0; i < TM; ++i) regM[i] = As[threadRow + i][k];  // [read As]
#pragma unroll
      for (int j = 0; j < TN; ++j) regN[j] = Bs[k][threadCol + j];  // [read Bs]
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] += regM[i] * regN[j];  // [outer product]
    }
    __syncthreads();  // [tiles used]
  }

#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j)
      C[(blockRow + threadRow + i) * N + blockCol + threadCol + j] = sums[i][j];  // [store C]
}
