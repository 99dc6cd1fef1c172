// C = A * B: tiles loaded ahead, with one buffer for each matrix and one barrier for each tile.

#ifndef TILE
#define TILE 8
#endif

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];

  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;

  float nextA = A[row * K + threadIdx.x];
  float nextB = B[threadIdx.y * N + col];
  float sum = 0.0f;
  for (int tile = 0; tile < K; tile += TILE) {
    As[threadIdx.y][threadIdx.x] = nextA;  // [store A]
    Bs[threadIdx.y][threadIdx.x] = nextB;  // [store B]
    __syncthreads();  // [tiles ready]

    if (tile + TILE < K) {
      nextA = A[row * K + tile + TILE + threadIdx.x];    // [next A]
      nextB = B[(tile + TILE + threadIdx.y) * N + col];  // [next B]
    }
    for (int k = 0; k < TILE; ++k) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];  // [product]
  }
  C[row * N + col] = sum;  // [store C]
}
