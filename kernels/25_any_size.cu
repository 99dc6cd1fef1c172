// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// As 18 for any M, N and K. Blocks at the edges compute what lies beyond too, and nothing there is stored. Past the last row of A they
// copy that row again, past the last k and the last column of B zeros, as TMA does. It takes rows of B that are multiples of
// 16 bytes; others are copied as A is, four bytes each.

#ifndef BM
#define BM 128
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
#define GROUP 8
#endif
#ifndef MATH_REGISTERS
#define MATH_REGISTERS 216
#endif
#define TM 8
#define TN 16
#define WM (8 * TM)
#define WN (4 * TN)
#define MATH_WARPS ((BM / WM) * (BN / WN))
#define MATH_THREADS (MATH_WARPS * 32)
#define COPY_THREADS 128

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

// A zero where there is nothing to copy.
__device__ void copyAsyncIf(bool inside, float *to, const float *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(sharedAddress(to)), "l"(from), "r"(inside ? 4 : 0) : "memory");
}

__device__ void initBarrier(unsigned long long *barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(arrivals) : "memory");
}

__device__ void waitFor(unsigned barrier, unsigned phase) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(barrier), "r"(phase) : "memory");
}

__device__ void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Four floats from shared memory. Addresses as 32 bits: ptxas keeps them in one register and adds the rest as it reads.
__device__ void readQuad(float *to, unsigned from) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3]) : "r"(from));
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

// Column after column, rows down and up again: two neighbours have an element of A or of B in common, which the register
// file then delivers once.
__device__ void outerProduct(float (&sums)[TM][TN], const float (&regM)[TM], const float (&regN)[TN]) {
#pragma unroll
  for (int j = 0; j < TN; ++j)
#pragma unroll
    for (int step = 0; step < TM; ++step) {
      const int i = j % 2 == 0 ? step : TM - 1 - step;
      sums[i][j] += regM[i] * regN[j];  // [outer product]
    }
}

__device__ void prefetchMap(const CUtensorMap *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

__global__ void __launch_bounds__(MATH_THREADS + COPY_THREADS, 1)
sgemm_any_size(const __grid_constant__ CUtensorMap mapB, const float *A, const float *B, float *C, int M, int N, int K, float alpha) {
  extern __shared__ __align__(128) Stage stages[];
  __shared__ __align__(8) unsigned long long full[2 * STAGES];
  unsigned long long *empty = full + STAGES;
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");  // the next launch may prepare itself while this one runs
  if (threadIdx.x == 0) prefetchMap(&mapB);
  if (threadIdx.x < STAGES) {
    initBarrier(&full[threadIdx.x], COPY_THREADS + 1);
    initBarrier(&empty[threadIdx.x], MATH_WARPS);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // TMA sees the barriers
  __syncthreads();

  const int columns = (N + BN - 1) / BN;
  const int group = blockIdx.x / (GROUP * columns);
  const int inGroup = blockIdx.x % (GROUP * columns);
  const int groupRows = min(GROUP, (M + BM - 1) / BM - group * GROUP);
  const int blockRow = (group * GROUP + inGroup % groupRows) * BM;
  const int blockCol = inGroup / groupRows * BN;

  if (threadIdx.x >= MATH_THREADS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
    const int thread = threadIdx.x - MATH_THREADS;
    const float *from = A;
    const float *fromB = &B[blockCol + thread];
    const int columnsLeft = N - blockCol - thread;
    int rows[BM / 16];  // where those begin that this thread copies from: no copy needs to ask for the edge
#pragma unroll
    for (int i = 0; i < BM / 16; ++i) rows[i] = min(blockRow + i * 16 + thread / 8, M - 1) * K + thread % 8;
    asm volatile("griddepcontrol.wait;" ::: "memory");  // for the launch before
    for (int k = 0, tile = 0; k < K; k += BK, ++tile) {
      const int stage = tile % STAGES;
      waitFor(sharedAddress(&empty[stage]), tile / STAGES % 2 ^ 1);  // [stage empty]
      if (N % 4 == 0) {
        if (thread == 0) copyBox(stages[stage].Bs, &mapB, blockCol, k, BK * BN * sizeof(float), &full[stage]);  // [load B]
      } else {
        const float *row = fromB + static_cast<long long>(k) * N;
        if (k + BK <= K) {
#pragma unroll
          for (int i = 0; i < BK; ++i, row += N)
#pragma unroll
            for (int col = 0; col < BN; col += COPY_THREADS)
              copyAsyncIf(col < columnsLeft, &stages[stage].Bs[i][col + thread], row + col);
        } else {
          for (int i = 0; i < BK; ++i, row += N)
            for (int col = 0; col < BN; col += COPY_THREADS)
              copyAsyncIf(k + i < K && col < columnsLeft, &stages[stage].Bs[i][col + thread], row + col);
        }
        if (thread == 0) arrive(sharedAddress(&full[stage]));
      }
      if (k + BK <= K) {
#pragma unroll
        for (int i = 0; i < BM / 16; ++i)
#pragma unroll
          for (int col = 0; col < BK; col += 8)
            copyAsync(&stages[stage].As[col + thread % 8][i * 16 + thread / 8], &from[rows[i] + col]);  // [load A]
      } else {
#pragma unroll
        for (int i = 0; i < BM / 16; ++i)
#pragma unroll
          for (int col = 0; col < BK; col += 8)
            copyAsyncIf(k + col + thread % 8 < K, &stages[stage].As[col + thread % 8][i * 16 + thread / 8], &from[rows[i] + col]);
      }
      from += BK;
      arriveAfterCopies(&full[stage]);
    }
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(MATH_REGISTERS));
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int threadRow = warp / (BN / WN) * WM + (lane / 4 ^ lane % 4) * 4;  // and 32 rows below
  const int threadCol = warp % (BN / WN) * WN + lane % 4 * 4;               // and 16, 32, 48 columns on
  float sums[TM][TN] = {{0.0f}};
  float regM[2][TM] = {{0.0f}};
  float regN[2][TN] = {{0.0f}};
  unsigned as = sharedAddress(&stages[0].As[0][threadRow]);
  unsigned bs = sharedAddress(&stages[0].Bs[0][threadCol]);
  unsigned barrier = sharedAddress(full);  // of this stage: full
  unsigned before = 0;                     // of the stage before: empty
  const unsigned end = barrier + 8 * STAGES;
  unsigned phase = 0;
  bool release = false;
#pragma unroll 1
  for (int tile = (K + BK - 1) / BK; tile > 0; --tile) {
    waitFor(barrier, phase);  // [stage full]
    __syncwarp();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      if (k == 2 && release) arrive(before);  // the last elements of the stage before are in registers
#pragma unroll
      for (int j = TN - 4; j >= 0; j -= 4) readQuad(&regN[k % 2][j], bs + (k * BN + j * 4) * sizeof(float));  // [read Bs]
#pragma unroll
      for (int i = 0; i < TM; i += 4) readQuad(&regM[k % 2][i], as + (k * (BM + 4) + i * 8) * sizeof(float));  // [read As]
      outerProduct(sums, regM[(k + 1) % 2], regN[(k + 1) % 2]);  // of k - 1; at first, of zeros
    }
    before = barrier + 8 * STAGES;
    release = lane == 0;
    barrier += 8;
    as += sizeof(Stage);
    bs += sizeof(Stage);
    if (barrier == end) {
      barrier -= 8 * STAGES;
      as -= STAGES * sizeof(Stage);
      bs -= STAGES * sizeof(Stage);
      phase ^= 1;
    }
  }
  outerProduct(sums, regM[1], regN[1]);
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j) sums[i][j] *= alpha;  // the loop need not keep sums in groups of four for the stores

  if (N % 4 != 0) {  // rows that float4 does not suit: by way of shared memory, so that a warp stores 32 columns of one at a time
    asm volatile("bar.sync 1, %0;" ::"n"(MATH_THREADS) : "memory");  // [stages used]
    float(*Cs)[WN + 16] = reinterpret_cast<float(*)[WN + 16]>(stages) + warp * 8;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      __syncwarp();
#pragma unroll
      for (int j = 0; j < TN; j += 4)
        *reinterpret_cast<float4 *>(&Cs[lane / 4 ^ lane % 4][lane % 4 * 4 + j * 4]) =
            make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
      __syncwarp();
      const int col = blockCol + warp % (BN / WN) * WN + lane;
#pragma unroll
      for (int r = 0; r < 8; ++r) {
        const int row = blockRow + warp / (BN / WN) * WM + r * 4 + i / 4 * 32 + i % 4;
        float *to = &C[static_cast<long long>(row) * N + col];
        if (row < M && col < N) to[0] = Cs[r][lane];  // [store odd C]
        if (row < M && col + 32 < N) to[32] = Cs[r][lane + 32];
      }
    }
    return;
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row = blockRow + threadRow + i / 4 * 32 + i % 4;
    if (row >= M) continue;
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      const int col = blockCol + threadCol + j * 4;
      float *to = &C[static_cast<long long>(row) * N + col];
      if (col < N) *reinterpret_cast<float4 *>(to) = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);  // [store C]
    }
  }
}
