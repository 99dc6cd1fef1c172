// C = A * B: as box.cu, but a warp of its own copies, and the others only multiply. Two mbarriers for each stage: `full`
// when its tiles have arrived, `empty` when all have multiplied them.

#ifndef TILE
#define TILE 8
#endif
#ifndef STAGES
#define STAGES 3
#endif
#define MATH_THREADS (TILE * TILE)
#define STAGE_BYTES (2 * TILE * TILE * 4)  // of a tile of A and one of B

// What cuTensorMapEncodeTiled fills in on the host: address, extents and strides of an array, and the extents of a box.
struct __align__(64) CUtensorMap {
  unsigned long long opaque[16];
};

#define ADDRESS(p) static_cast<unsigned>(__cvta_generic_to_shared(p))

// The barrier's phase ends when `arrivals` threads have arrived and all bytes that they expect have come.
#define INIT(barrier, arrivals) \
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(ADDRESS(barrier)), "r"(arrivals) : "memory")

#define ARRIVE(barrier) \
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(ADDRESS(barrier)) : "memory")

#define ARRIVE_EXPECTING(barrier, bytes)                                                                                \
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(ADDRESS(barrier)), "r"(bytes) : "memory")

#define COPY_BOX(to, map, col, row, barrier)                                                                               \
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" \
               ::"r"(ADDRESS(to)), "l"(map), "r"(col), "r"(row), "r"(ADDRESS(barrier)) : "memory")

// Waits until the phase of this parity, 0 for the first, 1 for the second, 0 for the third, has ended.
#define WAIT(barrier, parity)                                                                                          \
  asm volatile("{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; @!done bra again; }" \
               ::"r"(ADDRESS(barrier)), "r"(parity) : "memory")

__global__ void sgemm_warps(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, float *C,
                            int M, int N, int K) {
  __shared__ __align__(128) float As[STAGES][TILE][TILE];
  __shared__ __align__(128) float Bs[STAGES][TILE][TILE];
  __shared__ unsigned long long full[STAGES];
  __shared__ unsigned long long empty[STAGES];

  const int blockRow = blockIdx.y * TILE;
  const int blockCol = blockIdx.x * TILE;
  const int row = threadIdx.x / TILE;
  const int col = threadIdx.x % TILE;

  if (threadIdx.x < STAGES) {
    INIT(&full[threadIdx.x], 1);
    INIT(&empty[threadIdx.x], MATH_THREADS);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // so that TMA sees the barriers
  __syncthreads();

  if (threadIdx.x >= MATH_THREADS) {  // the warp that copies, by one of its threads
    if (threadIdx.x > MATH_THREADS) return;
    for (int tile = 0; tile < K / TILE; ++tile) {
      const int stage = tile % STAGES;
      WAIT(&empty[stage], tile / STAGES % 2 ^ 1);                                  // [wait empty]
      ARRIVE_EXPECTING(&full[stage], STAGE_BYTES);                                 // [expect]
      COPY_BOX(&As[stage][0][0], &mapA, tile * TILE, blockRow, &full[stage]);  // [copy A]
      COPY_BOX(&Bs[stage][0][0], &mapB, blockCol, tile * TILE, &full[stage]);  // [copy B]
    }
    return;
  }

  float sum = 0.0f;
  for (int tile = 0; tile < K / TILE; ++tile) {
    const int stage = tile % STAGES;
    WAIT(&full[stage], tile / STAGES % 2);  // [wait full]
    for (int k = 0; k < TILE; ++k) sum += As[stage][row][k] * Bs[stage][k][col];  // [product]
    ARRIVE(&empty[stage]);  // [release]
  }
  C[(blockRow + row) * N + blockCol + col] = sum;  // [store C]
}
