// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// As 16, but the tensor memory accelerator (TMA) copies the tile of B: one thread asks for the whole box, and no thread
// computes addresses. An mbarrier for each stage counts the bytes of B and the threads whose copies of A have arrived;
// waiting for it takes the place of cp.async.wait_group. TMA cannot transpose, so A stays with cp.async.

#ifndef BM
#define BM 64
#endif
#ifndef BN
#define BN 256
#endif
#ifndef BK
#define BK 16
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef GROUP
#define GROUP 16
#endif
#define TM 8
#define TN 16
#define WM (8 * TM)
#define WN (4 * TN)
#define NUM_THREADS ((BM / WM) * (BN / WN) * 32)

// What cuTensorMapEncodeTiled fills in on the host.
struct __align__(64) CUtensorMap {
  unsigned long long opaque[16];
};

struct Stage {
  float Bs[BK][BN];
  float As[BK][BM + 4];
};

__device__ unsigned sharedAddress(const void *pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

__device__ void copyAsync(float *to, const float *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(sharedAddress(to)), "l"(from) : "memory");
}

__device__ void initBarrier(unsigned long long *barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(arrivals) : "memory");
}

__device__ void waitFor(unsigned long long *barrier, unsigned phase) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(sharedAddress(barrier)), "r"(phase) : "memory");
}

// Arrives when the copies that this thread has started so far have arrived.
__device__ void arriveAfterCopies(unsigned long long *barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(sharedAddress(barrier)) : "memory");
}

// One thread's request for a box of the tensor: the barrier waits for one arrival and for all of its bytes.
__device__ void copyBox(void *to, const CUtensorMap *map, int col, int row, unsigned bytes, unsigned long long *barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(bytes) : "memory");
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(sharedAddress(to)), "l"(map), "r"(col), "r"(row), "r"(sharedAddress(barrier)) : "memory");
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

__device__ void prefetchMap(const CUtensorMap *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

__global__ void __launch_bounds__(NUM_THREADS, 1)
sgemm_tma(const __grid_constant__ CUtensorMap mapB, const float *A, float *C, int M, int N, int K) {
  extern __shared__ __align__(128) Stage stages[];
  __shared__ __align__(8) unsigned long long full[STAGES];
  if (threadIdx.x == 0) prefetchMap(&mapB);
  if (threadIdx.x < STAGES) initBarrier(&full[threadIdx.x], NUM_THREADS + 1);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // TMA sees the barriers
  __syncthreads();

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
  const float *as = &stages[0].As[0][threadRow];
  const float *bs = &stages[0].Bs[0][threadCol];
  int stage = 0;
  for (int tile = 1 - STAGES; tile < K / BK; ++tile) {
    if (tile >= 0) __syncthreads();  // [stage free]
    const int next = tile + STAGES - 1;
    if (next < K / BK) {
      const int stage = next % STAGES;
      if (threadIdx.x == 0)
        copyBox(stages[stage].Bs, &mapB, blockCol, next * BK, BK * BN * sizeof(float), &full[stage]);  // [load B]
#pragma unroll
      for (int i = 0; i < BM * BK; i += NUM_THREADS) {
        const int row = (i + threadIdx.x) / 8 % BM;
        const int col = (i + threadIdx.x) / (8 * BM) * 8 + threadIdx.x % 8;
        copyAsync(&stages[stage].As[col][row], &A[(blockRow + row) * K + next * BK + col]);  // [load A]
      }
      arriveAfterCopies(&full[stage]);
    }
    if (tile < 0) continue;

    waitFor(&full[stage], tile / STAGES % 2);  // [tile arrived]
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
    const int step = stage == STAGES - 1 ? 1 - STAGES : 1;
    stage += step;
    as += step * static_cast<int>(sizeof(Stage) / sizeof(float));
    bs += step * static_cast<int>(sizeof(Stage) / sizeof(float));
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
