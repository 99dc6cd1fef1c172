// C = A * B: as pipeline.cu of lesson 15, but one thread asks for a whole tile of A and of B, and the tensor memory
// accelerator (TMA) copies them. An mbarrier for each stage counts the bytes that have arrived.

#ifndef TILE
#define TILE 8
#endif
#ifndef STAGES
#define STAGES 3
#endif
#define STAGE_BYTES (2 * TILE * TILE * 4)  // of a tile of A and one of B

// What cuTensorMapEncodeTiled fills in on the host: address, extents and strides of an array, and the extents of a box.
struct __align__(64) CUtensorMap {
  unsigned long long opaque[16];
};

#define ADDRESS(p) static_cast<unsigned>(__cvta_generic_to_shared(p))

// The barrier's phase ends when `arrivals` threads have arrived and all bytes that they expect have come.
#define INIT(barrier, arrivals) \
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(ADDRESS(barrier)), "r"(arrivals) : "memory")

#define ARRIVE_EXPECTING(barrier, bytes)                                                                                \
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(ADDRESS(barrier)), "r"(bytes) : "memory")

#define COPY_BOX(to, map, col, row, barrier)                                                                               \
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" \
               ::"r"(ADDRESS(to)), "l"(map), "r"(col), "r"(row), "r"(ADDRESS(barrier)) : "memory")

// Waits until the phase of this parity, 0 for the first, 1 for the second, 0 for the third, has ended.
#define WAIT(barrier, parity)                                                                                          \
  asm volatile("{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; @!done bra again; }" \
               ::"r"(ADDRESS(barrier)), "r"(parity) : "memory")

__global__ void sgemm_box(const __grid_constant__ CUtensorMap mapA, const __grid_constant__ CUtensorMap mapB, float *C,
                          int M, int N, int K) {
  __shared__ __align__(128) float As[STAGES][TILE][TILE];
  __shared__ __align__(128) float Bs[STAGES][TILE][TILE];
  __shared__ unsigned long long full[STAGES];

  const int blockRow = blockIdx.y * TILE;
  const int blockCol = blockIdx.x * TILE;
  const int row = threadIdx.x / TILE;
  const int col = threadIdx.x % TILE;

  if (threadIdx.x < STAGES) INIT(&full[threadIdx.x], 1);         // [init]
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // so that TMA sees the barriers
  __syncthreads();

  float sum = 0.0f;
  for (int tile = 1 - STAGES; tile < K / TILE; ++tile) {  // the first STAGES - 1 rounds only copy
    const int next = tile + STAGES - 1;
    if (threadIdx.x == 0 && next < K / TILE) {
      const int stage = next % STAGES;
      ARRIVE_EXPECTING(&full[stage], STAGE_BYTES);                                  // [expect]
      COPY_BOX(&As[stage][0][0], &mapA, next * TILE, blockRow, &full[stage]);  // [copy A]
      COPY_BOX(&Bs[stage][0][0], &mapB, blockCol, next * TILE, &full[stage]);  // [copy B]
    }
    if (tile < 0) continue;
    const int stage = tile % STAGES;
    WAIT(&full[stage], tile / STAGES % 2);  // [wait]
    for (int k = 0; k < TILE; ++k) sum += As[stage][row][k] * Bs[stage][k][col];  // [product]
    __syncthreads();  // [stage used]
  }
  C[(blockRow + row) * N + blockCol + col] = sum;  // [store C]
}
