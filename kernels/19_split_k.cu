// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// As 18 for small matrices, where tiles of 128 x 256 are too few for the SMs: a block computes 64 x 128, and its warps share
// the k of a stage, SLICE each. Every element of C is then in SLICES threads, which add up through shared memory: of a
// thread's TM rows each slice finishes TM / SLICES.

#ifndef BM
#define BM 64
#endif
#ifndef BN
#define BN 128
#endif
#ifndef SLICES
#define SLICES 4
#endif
#ifndef SLICE
#define SLICE 16
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef MATH_REGISTERS
#define MATH_REGISTERS 200
#endif
#define BK (SLICES * SLICE)
#define TM 8
#define TN 16
#define WM (8 * TM)
#define WN (4 * TN)
#define WARPS ((BM / WM) * (BN / WN))  // of a slice
#define MATH_WARPS (SLICES * WARPS)
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
// file then delivers once. Why rows 0, 2, 1, 3: see the search in kernels/PERFORMANCE.md.
__device__ void outerProduct(float (&sums)[TM][TN], const float (&regM)[TM], const float (&regN)[TN]) {
#pragma unroll
  for (int j = 0; j < TN; ++j)
#pragma unroll
    for (int step = 0; step < TM; ++step) {
      const int turn = j % 2 == 0 ? step : TM - 1 - step;
      const int i = turn / 4 * 4 + turn % 2 * 2 + turn / 2 % 2;
      sums[i][j] += regM[i] * regN[j];  // [outer product]
    }
}

// a / b; a division of integers would take a hundred clocks and more.
__device__ int quotient(int a, int b) { return static_cast<int>(__fdividef(a + 0.5f, b)); }

__device__ void prefetchMap(const CUtensorMap *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

__global__ void __launch_bounds__(MATH_THREADS + COPY_THREADS, 1)
sgemm_split_k(const __grid_constant__ CUtensorMap mapB, const float *A, float *C, int M, int N, int K, float alpha) {
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

  const int group = quotient(blockIdx.x, GROUP * (N / BN));
  const int inGroup = blockIdx.x - group * GROUP * (N / BN);
  const int groupRows = min(GROUP, M / BM - group * GROUP);
  const int column = quotient(inGroup, groupRows);
  const int blockRow = (group * GROUP + inGroup - column * groupRows) * BM;
  const int blockCol = column * BN;
  __syncthreads();

  if (threadIdx.x >= MATH_THREADS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    const int thread = threadIdx.x - MATH_THREADS;
    const float *from = &A[(blockRow + thread / 8) * K + thread % 8];
    asm volatile("griddepcontrol.wait;" ::: "memory");  // for the launch before
    for (int tile = 0; tile < K / BK; ++tile) {
      const int stage = tile % STAGES;
      waitFor(sharedAddress(&empty[stage]), tile / STAGES % 2 ^ 1);  // [stage empty]
      if (thread == 0)
        copyBox(stages[stage].Bs, &mapB, blockCol, tile * BK, BK * BN * sizeof(float), &full[stage]);  // [load B]
#pragma unroll
      for (int row = 0; row < BM; row += COPY_THREADS / 8)
#pragma unroll
        for (int col = 0; col < BK; col += 8)
          copyAsync(&stages[stage].As[col + thread % 8][row + thread / 8], &from[row * K + tile * BK + col]);  // [load A]
      arriveAfterCopies(&full[stage]);
    }
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(MATH_REGISTERS));
  const int warp = threadIdx.x / 32 % WARPS;
  const int slice = threadIdx.x / 32 / WARPS;
  const int lane = threadIdx.x % 32;
  const int threadRow = warp / (BN / WN) * WM + (lane / 4 ^ lane % 4) * 4;  // and 32 rows below
  const int threadCol = warp % (BN / WN) * WN + lane % 4 * 4;               // and 16, 32, 48 columns on
  float sums[TM][TN] = {{0.0f}};
  float regM[2][TM] = {{0.0f}};
  float regN[2][TN] = {{0.0f}};
  unsigned as = sharedAddress(&stages[0].As[slice * SLICE][threadRow]);
  unsigned bs = sharedAddress(&stages[0].Bs[slice * SLICE][threadCol]);
  unsigned barrier = sharedAddress(full);  // of this stage: full
  unsigned before = 0;                     // of the stage before: empty
  const unsigned end = barrier + 8 * STAGES;
  unsigned phase = 0;
  bool release = false;
#pragma unroll 1
  for (int tile = K / BK; tile > 0; --tile) {
    waitFor(barrier, phase);  // [stage full]
    __syncwarp();
#pragma unroll
    for (int k = 0; k < SLICE; ++k) {
      if (k == 4 && release) arrive(before);  // the last elements of the stage before are in registers
#pragma unroll
      for (int j = 0; j < TN; j += 4) readQuad(&regN[k % 2][j], bs + (k * BN + j * 4) * sizeof(float));  // [read Bs]
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
    for (int j = 0; j < TN; ++j)
      sums[i][j] *= alpha;  // here: the loop above need not keep sums in groups of four for the stores below
  asm volatile("bar.sync 1, %0;" ::"n"(MATH_THREADS) : "memory");  // [stages used]: all are read, their memory is free

  // partial[owner][giver][...][lane]: what a slice has of the rows that another one finishes.
  float4(*partial)[SLICES][WARPS * TM / SLICES * TN / 4][32] =
      reinterpret_cast<float4(*)[SLICES][WARPS * TM / SLICES * TN / 4][32]>(stages);
  const int slot = warp * (TM / SLICES * TN / 4);
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; j += 4)
      if (i / (TM / SLICES) != slice)
        partial[i / (TM / SLICES)][slice][slot + i % (TM / SLICES) * (TN / 4) + j / 4][lane] =
            make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
  asm volatile("bar.sync 1, %0;" ::"n"(MATH_THREADS) : "memory");  // [partial sums ready]

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    if (i / (TM / SLICES) != slice) continue;
    const int row = blockRow + threadRow + i / 4 * 32 + i % 4;
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      float4 c = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
#pragma unroll
      for (int other = 1; other < SLICES; ++other) {
        const float4 part =
            partial[slice][(slice + other) % SLICES][slot + i % (TM / SLICES) * (TN / 4) + j / 4][lane];  // [add up]
        c = make_float4(c.x + part.x, c.y + part.y, c.z + part.z, c.w + part.w);
      }
      *reinterpret_cast<float4 *>(&C[row * N + blockCol + threadCol + j * 4]) = c;  // [store C]
    }
  }
}
