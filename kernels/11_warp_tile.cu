// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// As 10, with one more level: a block computes BM x BN of C, a warp WM x WN of that, in WMITER x WNITER sub-tiles of
// WSUBM x WSUBN, and in each sub-tile a thread TM x TN. The 32 threads of a warp thus stay close together in As and Bs.

#ifndef BM
#define BM 64
#endif
#ifndef BN
#define BN 128
#endif
#ifndef BK
#define BK 16
#endif
#ifndef WM
#define WM 64
#endif
#ifndef WN
#define WN 32
#endif
#ifndef WNITER
#define WNITER 1
#endif
#ifndef TM
#define TM 4
#endif
#ifndef TN
#define TN 8
#endif
#define WMITER (WM * WN / (32 * TM * TN * WNITER))
#define WSUBM (WM / WMITER)
#define WSUBN (WN / WNITER)
#define NUM_THREADS ((BM / WM) * (BN / WN) * 32)

__global__ void __launch_bounds__(NUM_THREADS)
sgemm_warp_tile(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ __align__(16) float As[BK][BM];  // transposed, as in 10
  __shared__ __align__(16) float Bs[BK][BN];

  const int blockRow = blockIdx.y * BM;
  const int blockCol = blockIdx.x * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warpRow = warp / (BN / WN) * WM;  // corner of the warp's tile, within the block's
  const int warpCol = warp % (BN / WN) * WN;
  const int threadRow = lane / (WSUBN / TN) * TM;  // corner of the thread's tile, within a sub-tile
  const int threadCol = lane % (WSUBN / TN) * TN;

  float sums[WMITER * TM][WNITER * TN] = {{0.0f}};
  float regM[WMITER * TM];
  float regN[WNITER * TN];
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
      for (int i = 0; i < WMITER * TM; i += 4) {
        const int row = warpRow + i / TM * WSUBM + threadRow + i % TM;
        const float4 a = *reinterpret_cast<const float4 *>(&As[k][row]);  // [read As]
        regM[i + 0] = a.x;
        regM[i + 1] = a.y;
        regM[i + 2] = a.z;
        regM[i + 3] = a.w;
      }
#pragma unroll
      for (int j = 0; j < WNITER * TN; j += 4) {
        const int col = warpCol + j / TN * WSUBN + threadCol + j % TN;
        const float4 b = *reinterpret_cast<const float4 *>(&Bs[k][col]);  // [read Bs]
        regN[j + 0] = b.x;
        regN[j + 1] = b.y;
        regN[j + 2] = b.z;
        regN[j + 3] = b.w;
      }
#pragma unroll
      for (int i = 0; i < WMITER * TM; ++i)
#pragma unroll
        for (int j = 0; j < WNITER * TN; ++j)
          sums[i][j] += regM[i] * regN[j];  // [outer product]
    }
    __syncthreads();  // [tiles used]
  }

#pragma unroll
  for (int i = 0; i < WMITER * TM; ++i) {
    const int row = blockRow + warpRow + i / TM * WSUBM + threadRow + i % TM;
#pragma unroll
    for (int j = 0; j < WNITER * TN; j += 4) {
      const int col = blockCol + warpCol + j / TN * WSUBN + threadCol + j % TN;
      const float4 c = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
      *reinterpret_cast<float4 *>(&C[row * N + col]) = c;  // [store C]
    }
  }
}
