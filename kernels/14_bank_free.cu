// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// As 13 without bank conflicts. Four more columns in As move each of its rows on by four banks, and a warp copies 4 rows x
// 8 columns of A: 32 different banks. A thread has 4 x 4 in each sub-tile, so that lanes side by side read side by side.

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
#define WM 32
#endif
#ifndef WN
#define WN 64
#endif
#ifndef WNITER
#define WNITER 2
#endif
#define TM 4
#define TN 4
#ifndef STAGES
#define STAGES 3
#endif
#define WMITER (WM * WN / (32 * TM * TN * WNITER))
#define WSUBM (WM / WMITER)
#define WSUBN (WN / WNITER)
#define NUM_THREADS ((BM / WM) * (BN / WN) * 32)

// Starts a copy of BYTES, 4, 8 or 16, to shared memory; cp.async.wait_group says when it has arrived.
template <int BYTES>
__device__ void copyAsync(float *to, const float *from) {
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from), "n"(BYTES) : "memory");
}

__global__ void __launch_bounds__(NUM_THREADS)
sgemm_bank_free(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ __align__(16) float As[STAGES][BK][BM + 4];
  __shared__ __align__(16) float Bs[STAGES][BK][BN];

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
  for (int tile = (1 - STAGES) * BK; tile < K; tile += BK) {  // the first STAGES - 1 rounds only copy
    if (tile >= 0) {
      asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");  // [tile arrived]
      __syncthreads();  // [tile ready]
    }
    const int next = tile + (STAGES - 1) * BK;
    if (next < K) {
      const int stage = next / BK % STAGES;
#pragma unroll
      for (int i = 0; i < BM * BK; i += NUM_THREADS) {
        const int row = (i + threadIdx.x) / 8 % BM;
        const int col = (i + threadIdx.x) / (8 * BM) * 8 + threadIdx.x % 8;
        copyAsync<4>(&As[stage][col][row], &A[(blockRow + row) * K + next + col]);  // [load A]
      }
#pragma unroll
      for (int i = 0; i < BK * BN; i += NUM_THREADS * 4) {
        const int row = (i + threadIdx.x * 4) / BN;
        const int col = (i + threadIdx.x * 4) % BN;
        copyAsync<16>(&Bs[stage][row][col], &B[(next + row) * N + blockCol + col]);  // [load B]
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (tile < 0) continue;

    const int stage = tile / BK % STAGES;
    for (int k = 0; k < BK; ++k) {
#pragma unroll
      for (int i = 0; i < WMITER * TM; i += 4) {
        const int row = warpRow + i / TM * WSUBM + threadRow + i % TM;
        const float4 a = *reinterpret_cast<const float4 *>(&As[stage][k][row]);  // [read As]
        regM[i + 0] = a.x;
        regM[i + 1] = a.y;
        regM[i + 2] = a.z;
        regM[i + 3] = a.w;
      }
#pragma unroll
      for (int j = 0; j < WNITER * TN; j += 4) {
        const int col = warpCol + j / TN * WSUBN + threadCol + j % TN;
        const float4 b = *reinterpret_cast<const float4 *>(&Bs[stage][k][col]);  // [read Bs]
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
