// C = A * B by TILE x TILE tiles in shared memory, as in kernel 04, with pointers that are moved from tile to tile.

#ifndef TILE
#define TILE 32
#endif

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int threadRow = threadIdx.y;
  const int threadCol = threadIdx.x;

  A += blockIdx.y * TILE * K;                      // [start A]
  B += blockIdx.x * TILE;                          // [start B]
  C += blockIdx.y * TILE * N + blockIdx.x * TILE;  // [start C]

  float sum = 0.0f;
  for (int tile = 0; tile < K; tile += TILE) {
    As[threadRow][threadCol] = A[threadRow * K + threadCol];  // [load A]
    Bs[threadRow][threadCol] = B[threadRow * N + threadCol];  // [load B]
    __syncthreads();  // [tiles ready]

    for (int k = 0; k < TILE; ++k) {
      const float a = As[threadRow][k];  // [read As]
      const float b = Bs[k][threadCol];  // [read Bs]
      sum += a * b;
    }
    __syncthreads();  // [tiles used]
    A += TILE;  // [next A]
    B += TILE;  // [next B]
  }
  C[threadRow * N + threadCol] = sum;  // [store C]
}
