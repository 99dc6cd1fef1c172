// C = A * B: a thread computes a column of TM elements of C.

#ifndef BM
#define BM 64
#endif
#ifndef BN
#define BN 64
#endif
#ifndef BK
#define BK 4
#endif
#ifndef TM
#define TM 16
#endif
#define NUM_THREADS (BM / TM * BN)

// The launch bounds tell the compiler how many threads must find registers together.
__global__ void __launch_bounds__(NUM_THREADS)
sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
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

    for (int k = 0; k < BK; ++k) {
      const float b = Bs[k][threadCol];  // [read Bs]
#pragma unroll 1  // [loop over sums]
      for (int i = 0; i < TM; ++i)
        sums[i] += As[threadRow + i][k] * b;  // [read As]
    }
    __syncthreads();  // [tiles used]
  }

#pragma unroll 1
  for (int i = 0; i < TM; ++i)
    C[(blockRow + threadRow + i) * N + blockCol + threadCol] = sums[i];  // [store C]
}
