// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// As 18 for tiles that do not fill the SMs evenly. As many blocks as SMs stay until all is done. The tiles of the wave that
// would not be full are cut along k into equal shares, one for each block; then come whole tiles. Who has the start of a
// tile adds to it what the blocks after it have put into the workspace, and stores it. All blocks must run at once.

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
#define MATH_REGISTERS 224
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

// The products of one k, column after column, rows down and up again: two neighbours have an element of A or of B in common,
// which the register file then delivers once. Between them come the reads of the next k, a quad every four products.
template <typename Read>
__device__ void outerProduct(float (&sums)[TM][TN], const float (&regM)[TM], const float (&regN)[TN], Read read) {
#pragma unroll
  for (int j = 0; j < TN; ++j)
#pragma unroll
    for (int step = 0; step < TM; ++step) {
      const int done = j * TM + step;
      if (done % 4 == 0) read(done / 4);
      const int i = j % 2 == 0 ? step : TM - 1 - step;
      sums[i][j] += regM[i] * regN[j];  // [outer product]
    }
}

// The first step of a block's share of the tiles that are cut.
__device__ int shareBegin(int block, int tiles, int steps) {
  return static_cast<int>(static_cast<long long>(tiles % gridDim.x) * steps * block / gridDim.x);
}

// Piece i of this block's work: steps from .. to - 1 of a tile, perhaps none. Returns false when all is done.
__device__ bool pieceOf(int i, int tiles, int steps, int &tile, int &from, int &to) {
  const int begin = shareBegin(blockIdx.x, tiles, steps);
  const int end = shareBegin(blockIdx.x + 1, tiles, steps);
  const int boundary = (begin + steps - 1) / steps * steps;  // of two tiles; a share is shorter than a tile
  if (i == 0) {  // the end of a tile, or its middle: another block waits for it
    tile = begin / steps;
    from = begin % steps;
    to = min(end, boundary) - tile * steps;
  } else if (i == 1) {  // the start of a tile
    tile = boundary / steps;
    from = 0;
    to = end - boundary;
  } else {
    tile = tiles % gridDim.x + blockIdx.x + (i - 2) * gridDim.x;
    from = 0;
    to = steps;
  }
  return i < 2 || tile < tiles;
}

__device__ void cornerOf(int tile, int M, int N, int &blockRow, int &blockCol) {
  const int group = tile / (GROUP * (N / BN));
  const int inGroup = tile % (GROUP * (N / BN));
  const int groupRows = min(GROUP, M / BM - group * GROUP);
  blockRow = (group * GROUP + inGroup % groupRows) * BM;
  blockCol = inGroup / groupRows * BN;
}

__device__ void prefetchMap(const CUtensorMap *map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

__global__ void __launch_bounds__(MATH_THREADS + COPY_THREADS, 1)
sgemm_stream_k(const __grid_constant__ CUtensorMap mapB, const float *A, float *C, int M, int N, int K, float alpha,
               float4 *workspace, int *ready) {
  extern __shared__ __align__(128) Stage stages[];
  __shared__ __align__(8) unsigned long long full[2 * STAGES];
  unsigned long long *empty = full + STAGES;
  if (threadIdx.x == 0) prefetchMap(&mapB);
  if (threadIdx.x < STAGES) {
    initBarrier(&full[threadIdx.x], COPY_THREADS + 1);
    initBarrier(&empty[threadIdx.x], MATH_WARPS);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // TMA sees the barriers
  __syncthreads();

  const int tiles = (M / BM) * (N / BN);
  const int steps = K / BK;
  int tile, from, to;
  if (threadIdx.x >= MATH_THREADS) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    const int thread = threadIdx.x - MATH_THREADS;
    int use = 0;  // of stages so far
    for (int i = 0; pieceOf(i, tiles, steps, tile, from, to); ++i) {
      int blockRow, blockCol;
      cornerOf(tile, M, N, blockRow, blockCol);
      const float *rows = &A[(blockRow + thread / 8) * K + thread % 8];
      for (int step = from; step < to; ++step, ++use) {
        const int stage = use % STAGES;
        waitFor(sharedAddress(&empty[stage]), use / STAGES % 2 ^ 1);  // [stage empty]
        if (thread == 0)
          copyBox(stages[stage].Bs, &mapB, blockCol, step * BK, BK * BN * sizeof(float), &full[stage]);  // [load B]
#pragma unroll
        for (int row = 0; row < BM; row += COPY_THREADS / 8)
#pragma unroll
          for (int col = 0; col < BK; col += 8)
            copyAsync(&stages[stage].As[col + thread % 8][row + thread / 8], &rows[row * K + step * BK + col]);  // [load A]
        arriveAfterCopies(&full[stage]);
      }
    }
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(MATH_REGISTERS));
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int threadRow = warp / (BN / WN) * WM + (lane / 4 ^ lane % 4) * 4;  // and 32 rows below
  const int threadCol = warp % (BN / WN) * WN + lane % 4 * 4;               // and 16, 32, 48 columns on
  unsigned as = sharedAddress(&stages[0].As[0][threadRow]);
  unsigned bs = sharedAddress(&stages[0].Bs[0][threadCol]);
  unsigned barrier = sharedAddress(full);  // of this stage: full
  unsigned before = 0;                     // of the stage before: empty
  const unsigned end = barrier + 8 * STAGES;
  unsigned phase = 0;
  bool release = false;
  for (int i = 0; pieceOf(i, tiles, steps, tile, from, to); ++i) {
    if (from >= to) continue;
    float sums[TM][TN] = {{0.0f}};
    float regM[2][TM] = {{0.0f}};
    float regN[2][TN] = {{0.0f}};
#pragma unroll 1
    for (int step = from; step < to; ++step) {
      waitFor(barrier, phase);  // [stage full]
      __syncwarp();
#pragma unroll
      for (int k = 0; k < BK; ++k) {
        if (k == 1 && release) arrive(before);  // the last elements of the stage before are in registers
        outerProduct(sums, regM[(k + 1) % 2], regN[(k + 1) % 2], [&](int quad) {  // of k - 1; at first, of zeros
          const int j = (quad ^ 1) * 4;
          const int i = (quad - 4) * 4;
          if (quad < 4) readQuad(&regN[k % 2][j], bs + (k * BN + j * 4) * sizeof(float));             // [read Bs]
          else if (quad < 6) readQuad(&regM[k % 2][i], as + (k * (BM + 4) + i * 8) * sizeof(float));  // [read As]
        });
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
    outerProduct(sums, regM[1], regN[1], [](int) {});
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j) sums[i][j] *= alpha;  // the loop need not keep sums in groups of four for the stores

    float4 *partial = &workspace[blockIdx.x * (BM * BN / 4) + threadIdx.x];
    if (from > 0) {
#pragma unroll
      for (int v = 0; v < TM * TN / 4; ++v)
        partial[v * MATH_THREADS] = *reinterpret_cast<const float4 *>(&sums[v * 4 / TN][v * 4 % TN]);
      __threadfence();
      asm volatile("bar.sync 1, %0;" ::"n"(MATH_THREADS) : "memory");
      if (threadIdx.x == 0) asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(&ready[blockIdx.x]) : "memory");
      continue;
    }
    for (int other = blockIdx.x + 1; to < steps; ++other) {
      int there = 0;
      while (there == 0) asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(there) : "l"(&ready[other]) : "memory");
      partial += BM * BN / 4;
#pragma unroll
      for (int v = 0; v < TM * TN / 4; ++v) {
        const float4 part = __ldcg(&partial[v * MATH_THREADS]);
        sums[v * 4 / TN][v * 4 % TN + 0] += part.x;
        sums[v * 4 / TN][v * 4 % TN + 1] += part.y;
        sums[v * 4 / TN][v * 4 % TN + 2] += part.z;
        sums[v * 4 / TN][v * 4 % TN + 3] += part.w;
      }
      asm volatile("bar.sync 1, %0;" ::"n"(MATH_THREADS) : "memory");  // all have seen the flag
      if (threadIdx.x == 0) ready[other] = 0;
      to = min(steps, shareBegin(other + 1, tiles, steps) - tile * steps);
    }

    int blockRow, blockCol;
    cornerOf(tile, M, N, blockRow, blockCol);
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
}
