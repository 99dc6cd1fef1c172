// C = A * B as pipeline.cu, without the barrier.

#ifndef TILE
#define TILE 8
#endif
#ifndef STAGES
#define STAGES 3
#endif

// Starts a copy of one float to shared memory.
#define COPY_ASYNC(to, from)                                                                                          \
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), \
               "l"(from)                                                                                              \
               : "memory")

__global__ void sgemm_pipeline(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[STAGES][TILE][TILE];
  __shared__ float Bs[STAGES][TILE][TILE];

  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;

  float sum = 0.0f;
  for (int tile = (1 - STAGES) * TILE; tile < K; tile += TILE) {  // the first STAGES - 1 rounds only copy
    const int next = tile + (STAGES - 1) * TILE;
    if (tile >= 0) asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");  // [arrived]
    if (next < K) {
      const int stage = next / TILE % STAGES;
      COPY_ASYNC(&As[stage][threadIdx.y][threadIdx.x], &A[row * K + next + threadIdx.x]);    // [copy A]
      COPY_ASYNC(&Bs[stage][threadIdx.y][threadIdx.x], &B[(next + threadIdx.y) * N + col]);  // [copy B]
    }
    asm volatile("cp.async.commit_group;" ::: "memory");  // [group ends]
    if (tile < 0) continue;
    const int stage = tile / TILE % STAGES;
    for (int k = 0; k < TILE; ++k) sum += As[stage][threadIdx.y][k] * Bs[stage][k][threadIdx.x];  // [product]
  }
  C[row * N + col] = sum;  // [store C]
}
