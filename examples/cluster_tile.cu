// C = A * B in tiles. The two blocks of a cluster stand side by side in C and need the same tile of A: each brings one half of
// it to its shared memory and reads the other half from the other block's.

#define TILE 16
#define CLUSTER 2

__device__ unsigned sharedAddress(const void *pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

// The same place in the shared memory of another block of the cluster.
__device__ unsigned addressIn(unsigned address, unsigned block) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
  return there;
}

__device__ float readFrom(unsigned address) {
  float value;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
  return value;
}

// All threads of the cluster meet, and see what the others have written.
__device__ void clusterBarrier() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(CLUSTER) cluster_tile(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty;
  const int col = blockIdx.x * TILE + tx;
  const int half = tx / (TILE / CLUSTER);  // of A's tile, and the block that brings it
  const int mine = blockIdx.x % CLUSTER;
  const unsigned as = addressIn(sharedAddress(&As[ty][tx]), half);
  float sum = 0.0f;
  for (int start = 0; start < K; start += TILE) {
    if (half == mine) As[ty][tx] = A[row * K + start + tx];  // [load half of A]
    Bs[ty][tx] = B[(start + ty) * N + col];                  // [load B]
    clusterBarrier();                                        // both halves are there
    if (half != mine) As[ty][tx] = readFrom(as);             // [read the other half]
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];  // [multiply]
    clusterBarrier();                                             // the other block has read its half
  }
  C[row * N + col] = sum;  // [store C]
}
