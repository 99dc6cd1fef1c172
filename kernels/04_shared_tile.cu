// C = A * B, all row-major: A is M x K, B is K x N, C is M x N.
// A block computes a TILE x TILE square of C. It walks along K, a tile at a time: together its threads copy one tile of
// A and one of B to shared memory, then each thread uses a row of the one and a column of the other.

#ifndef TILE
#define TILE 32
#endif
#ifndef FLAT
#define FLAT 0  // 0: a TILE x TILE block; 1: a flat block, folded by / and %
#endif

__global__ void sgemm_shared_tile(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];

#if FLAT
  const int threadRow = threadIdx.x / TILE;
  const int threadCol = threadIdx.x % TILE;
#else
  const int threadRow = threadIdx.y;
  const int threadCol = threadIdx.x;
#endif
  const int row = blockIdx.y * TILE + threadRow;
  const int col = blockIdx.x * TILE + threadCol;

  // The threads of a block do not run in step. The first barrier keeps any from reading a tile that is not yet whole, the
  // second from overwriting one that others still read.
  float sum = 0.0f;
  for (int tile = 0; tile < K; tile += TILE) {
    As[threadRow][threadCol] = A[row * K + tile + threadCol];    // [load A]
    Bs[threadRow][threadCol] = B[(tile + threadRow) * N + col];  // [load B]
    __syncthreads();  // [tiles ready]

    for (int k = 0; k < TILE; ++k) {
      const float a = As[threadRow][k];  // [read As]
      const float b = Bs[k][threadCol];  // [read Bs]
      sum += a * b;
    }
    __syncthreads();  // [tiles used]
  }
  C[row * N + col] = sum;  // [store C]
}
