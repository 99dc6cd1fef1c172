// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// As 11, but the next tile's loads from global memory start before this tile's arithmetic and wait in registers until
// it is done. With two buffers for each tile, one is written while the other is still read: one barrier for each tile.

#ifndef BM
#define BM 128
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
#define WN 64
#endif
#ifndef WNITER
#define WNITER 4
#endif
#ifndef TM
#define TM 8
#endif
#ifndef TN
#define TN 4
#endif
#define WMITER (WM * WN / (32 * TM * TN * WNITER))
#define WSUBM (WM / WMITER)
#define WSUBN (WN / WNITER)
#define NUM_THREADS ((BM / WM) * (BN / WN) * 32)

__global__ void __launch_bounds__(NUM_THREADS)
sgemm_register_prefetch(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ __align__(16) float As[2][BK][BM];  // transposed, as in 10
  __shared__ __align__(16) float Bs[2][BK][BN];

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
  float4 nextA[BM * BK / (4 * NUM_THREADS)];
  float4 nextB[BK * BN / (4 * NUM_THREADS)];
  int buffer = 1;
  for (int next = 0;; next += BK) {
    if (next < K) {
#pragma unroll
      for (int i = 0; i < BM * BK; i += NUM_THREADS * 4) {
        const int row = (i + threadIdx.x * 4) / BK;
        const int col = (i + threadIdx.x * 4) % BK;
        nextA[i / (NUM_THREADS * 4)] =
            *reinterpret_cast<const float4 *>(&A[(blockRow + row) * K + next + col]);  // [load A]
      }
#pragma unroll
      for (int i = 0; i < BK * BN; i += NUM_THREADS * 4) {
        const int row = (i + threadIdx.x * 4) / BN;
        const int col = (i + threadIdx.x * 4) % BN;
        nextB[i / (NUM_THREADS * 4)] =
            *reinterpret_cast<const float4 *>(&B[(next + row) * N + blockCol + col]);  // [load B]
      }
    }

    for (int k = 0; k < BK && next > 0; ++k) {  // in the first round nothing is there yet
#pragma unroll
      for (int i = 0; i < WMITER * TM; i += 4) {
        const int row = warpRow + i / TM * WSUBM + threadRow + i % TM;
        const float4 a = *reinterpret_cast<const float4 *>(&As[buffer][k][row]);  // [read As]
        regM[i + 0] = a.x;
        regM[i + 1] = a.y;
        regM[i + 2] = a.z;
        regM[i + 3] = a.w;
      }
#pragma unroll
      for (int j = 0; j < WNITER * TN; j += 4) {
        const int col = warpCol + j / TN * WSUBN + threadCol + j % TN;
        const float4 b = *reinterpret_cast<const float4 *>(&Bs[buffer][k][col]);  // [read Bs]
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

    if (next >= K) break;

    buffer ^= 1;
#pragma unroll
    for (int i = 0; i < BM * BK; i += NUM_THREADS * 4) {
      const int row = (i + threadIdx.x * 4) / BK;
      const int col = (i + threadIdx.x * 4) % BK;
      const float4 a = nextA[i / (NUM_THREADS * 4)];
      As[buffer][col + 0][row] = a.x;  // [transpose A]
      As[buffer][col + 1][row] = a.y;
      As[buffer][col + 2][row] = a.z;
      As[buffer][col + 3][row] = a.w;
    }
#pragma unroll
    for (int i = 0; i < BK * BN; i += NUM_THREADS * 4) {
      const int row = (i + threadIdx.x * 4) / BN;
      const int col = (i + threadIdx.x * 4) % BN;
      *reinterpret_cast<float4 *>(&Bs[buffer][row][col]) = nextB[i / (NUM_THREADS * 4)];
    }
    __syncthreads();  // [tile ready]
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
