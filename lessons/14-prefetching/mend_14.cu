// C = A * B: a tile is loaded while the one before is multiplied, and stored in the other half of As and Bs.

#ifndef TILE
#define TILE 8
#endif

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[2 * TILE][TILE];
  __shared__ float Bs[2 * TILE][TILE];

  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;

  As[threadIdx.y][threadIdx.x] = A[row * K + threadIdx.x];  // [first A]
  Bs[threadIdx.y][threadIdx.x] = B[threadIdx.y * N + col];  // [first B]
  float nextA = 0.0f;
  float nextB = 0.0f;
  float sum = 0.0f;
  int half = 0;  // where the half in use begins: row 0 or row TILE
  for (int tile = 0; tile < K; tile += TILE) {
    __syncthreads();  // [tiles ready]
    nextA = A[row * K + tile + TILE + threadIdx.x];    // [next A]
    nextB = B[(tile + TILE + threadIdx.y) * N + col];  // [next B]
    for (int k = 0; k < TILE; ++k) sum += As[half + threadIdx.y][k] * Bs[half + k][threadIdx.x];  // [product]
    As[half + threadIdx.y][threadIdx.x] = nextA;  // [store A]
    Bs[half + threadIdx.y][threadIdx.x] = nextB;  // [store B]
    half = TILE - half;
  }
  C[row * N + col] = sum;  // [store C]
}
