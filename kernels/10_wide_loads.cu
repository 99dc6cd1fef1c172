// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// As 09, but every access moves four neighbouring floats in one 128-bit instruction. For that the tile of A is stored
// transposed: what a thread needs of it, TM elements of a column, then lies side by side in shared memory.

#ifndef BM
#define BM 64
#endif
#ifndef BN
#define BN 128
#endif
#ifndef BK
#define BK 16
#endif
#ifndef TM
#define TM 8
#endif
#ifndef TN
#define TN 8
#endif
#define NUM_THREADS ((BM / TM) * (BN / TN))

__global__ void __launch_bounds__(NUM_THREADS)
sgemm_wide_loads(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ __align__(16) float As[BK][BM];  // transposed; a float4 must lie on a multiple of 16 bytes
  __shared__ __align__(16) float Bs[BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int threadRow = threadIdx.x / (BN / TN) * TM;
  const int threadCol = threadIdx.x % (BN / TN) * TN;

  float sums[TM][TN] = {{0.0f}};
  float regM[TM];
  float regN[TN];
  for (int tile = 0; tile < K; tile += BK) {
    for (int i = 0; i < BM * BK; i += NUM_THREADS * 4) {
      const int row = (i + threadIdx.x * 4) / BK;
      const int col = (i + threadIdx.x * 4) % BK;
      const float4 a = *reinterpret_cast<const float4 *>(&A[(blockRow + row) * K + tile + col]);  // [load A]
      As[col + 0][row] = a.x;  // [transpose A]
      As[col + 1][row] = a.y;
      As[col + 2][row] = a.z;
      As[col + 3][row] = a.w;
    }
    for (int i = 0; i < BK * BN; i += NUM_THREADS * 4) {
      const int row = (i + threadIdx.x * 4) / BN;
      const int col = (i + threadIdx.x * 4) % BN;
      const float4 b = *reinterpret_cast<const float4 *>(&B[(tile + row) * N + blockCol + col]);  // [load B]
      *reinterpret_cast<float4 *>(&Bs[row][col]) = b;
    }
    __syncthreads();  // [tiles ready]

    for (int k = 0; k < BK; ++k) {
#pragma unroll
      for (int i = 0; i < TM; i += 4) {
        const float4 a = *reinterpret_cast<const float4 *>(&As[k][threadRow + i]);  // [read As]
        regM[i + 0] = a.x;
        regM[i + 1] = a.y;
        regM[i + 2] = a.z;
        regM[i + 3] = a.w;
      }
#pragma unroll
      for (int j = 0; j < TN; j += 4) {
        const float4 b = *reinterpret_cast<const float4 *>(&Bs[k][threadCol + j]);  // [read Bs]
        regN[j + 0] = b.x;
        regN[j + 1] = b.y;
        regN[j + 2] = b.z;
        regN[j + 3] = b.w;
      }
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
    for (int j = 0; j < TN; j += 4) {
      const float4 c = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
      *reinterpret_cast<float4 *>(&C[(blockRow + threadRow + i) * N + blockCol + threadCol + j]) = c;  // [store C]
    }
}
