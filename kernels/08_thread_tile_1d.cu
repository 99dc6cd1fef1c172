// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// A block computes BM x BN of C, a thread a column of TM elements of it: one element read from Bs serves TM products.

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
#define TM 16
#endif
#ifndef DOT_OUTSIDE
#define DOT_OUTSIDE 0  // which loop is outside: 1: k, along the dot product; 0: i, over the thread's TM elements
#endif
#define NUM_THREADS (BM / TM * BN)

// The launch bounds tell the compiler how many threads must find registers together.
__global__ void __launch_bounds__(NUM_THREADS)
sgemm_thread_tile_1d(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int threadRow = threadIdx.x / BN * TM;  // first of the thread's TM rows, within the block's tile
  const int threadCol = threadIdx.x % BN;

  float sums[TM] = {0.0f};
  for (int tile = 0; tile < K; tile += BK) {
    // Neither tile has the block's shape: / and % fold the threads anew for each, in as many turns as it takes.
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

#if DOT_OUTSIDE
    for (int k = 0; k < BK; ++k) {
      const float b = Bs[k][threadCol];  // [read Bs]
#pragma unroll  // registers have no index: only with the loop written out can sums live in them
      for (int i = 0; i < TM; ++i)
        sums[i] += As[threadRow + i][k] * b;  // [read As]
    }
#else
#pragma unroll
    for (int i = 0; i < TM; ++i)
      for (int k = 0; k < BK; ++k)
        sums[i] += As[threadRow + i][k] * Bs[k][threadCol];  // [read As and Bs]
#endif
    __syncthreads();  // [tiles used]
  }

#pragma unroll
  for (int i = 0; i < TM; ++i)
    C[(blockRow + threadRow + i) * N + blockCol + threadCol] = sums[i];  // [store C]
}
