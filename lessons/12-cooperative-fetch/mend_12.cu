// C = A * B: a 16 x 16 block computes 128 x 64 of C, a thread 8 x 4 of it.

#define PARTS 16
#define BM 128
#define BN 64
#define BK 32
#define TM (BM / PARTS)
#define TN (BN / PARTS)
// The i-th of a thread's `count` places along an axis that is split into PARTS.
#define MINE(part, i, count) ((part) * (count) + (i))  // [mine]

__global__ void __launch_bounds__(PARTS *PARTS)
sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
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
