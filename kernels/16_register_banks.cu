// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// As 15 for the register file, which delivers one operand from its even and one from its odd registers per clock. A thread
// has 8 x 16 elements, of two rows and four columns of sub-tiles. An FMA that reuses its element of A reads two more
// registers, an element of B and the sum: row after row, forth and back, ptxas finds both in different banks. The elements
// of k are read while those of k - 1 are multiplied; neighbouring lanes share neither rows nor columns.

#ifndef BM
#define BM 64
#endif
#ifndef BN
#define BN 256
#endif
#ifndef BK
#define BK 8
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef GROUP
#define GROUP 16
#endif
#define TM 8
#define TN 16
#define WM (8 * TM)
#define WN (4 * TN)
#define NUM_THREADS ((BM / WM) * (BN / WN) * 32)

// Starts a copy of BYTES, 4, 8 or 16, to shared memory; cp.async.wait_group says when it has arrived.
template <int BYTES>
__device__ void copyAsync(float *to, const float *from) {
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from), "n"(BYTES) : "memory");
}

__device__ void outerProduct(float (&sums)[TM][TN], const float (&regM)[TM], const float (&regN)[TN]) {
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int step = 0; step < TN; ++step) {
      const int j = i % 2 == 0 ? step : TN - 1 - step;
      sums[i][j] += regM[i] * regN[j];  // [outer product]
    }
}

__global__ void __launch_bounds__(NUM_THREADS)
sgemm_register_banks(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ __align__(16) float As[STAGES][BK][BM + 4];
  __shared__ __align__(16) float Bs[STAGES][BK][BN];

  const int group = blockIdx.x / (GROUP * (N / BN));
  const int inGroup = blockIdx.x % (GROUP * (N / BN));
  const int groupRows = min(GROUP, M / BM - group * GROUP);
  const int blockRow = (group * GROUP + inGroup % groupRows) * BM;
  const int blockCol = inGroup / groupRows * BN;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int threadRow = warp / (BN / WN) * WM + (lane / 4 ^ lane % 4) * 4;  // and 32 rows below
  const int threadCol = warp % (BN / WN) * WN + lane % 4 * 4;               // and 16, 32, 48 columns on

  float sums[TM][TN] = {{0.0f}};
  float regM[2][TM] = {{0.0f}};
  float regN[2][TN] = {{0.0f}};
  const float *as = &As[0][0][threadRow];
  const float *bs = &Bs[0][0][threadCol];
  int stage = 0;
  for (int tile = (1 - STAGES) * BK; tile < K; tile += BK) {
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

#pragma unroll
    for (int k = 0; k < BK; ++k) {
#pragma unroll
      for (int j = 0; j < TN; j += 4)
        *reinterpret_cast<float4 *>(&regN[k % 2][j]) =
            *reinterpret_cast<const float4 *>(&bs[k * BN + j * 4]);  // [read Bs]
#pragma unroll
      for (int i = 0; i < TM; i += 4)
        *reinterpret_cast<float4 *>(&regM[k % 2][i]) =
            *reinterpret_cast<const float4 *>(&as[k * (BM + 4) + i * 8]);  // [read As]
      outerProduct(sums, regM[(k + 1) % 2], regN[(k + 1) % 2]);  // of k - 1; at first, of zeros
    }
    const int step = stage == STAGES - 1 ? 1 - STAGES : 1;  // a pointer that moves on stays in its register
    stage += step;
    as += step * (BK * (BM + 4));
    bs += step * (BK * BN);
  }
  outerProduct(sums, regM[1], regN[1]);

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = blockRow + threadRow + i / 4 * 32 + i % 4;
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      const float4 c = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
      *reinterpret_cast<float4 *>(&C[row * N + blockCol + threadCol + j * 4]) = c;  // [store C]
    }
  }
}
