// C = A * B: tiles loaded ahead, and stored by turns in the upper and the lower half of As and Bs.

#ifndef TILE
#define TILE 8
#endif

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[2 * TILE][TILE];
  __shared__ float Bs[2 * TILE][TILE];

  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;

  float nextA = A[row * K + threadIdx.x];
  float nextB = B[threadIdx.y * N + col];
  float sum = 0.0f;
  int half = 0;  // where the half in use begins: row 0 or row TILE
  for (int tile = 0; tile < K; tile += TILE) {
    As[half + threadIdx.y][threadIdx.x] = nextA;  // [store A]
    Bs[half + threadIdx.y][threadIdx.x] = nextB;  // [store B]
    __syncthreads();  // [ready]

    if (tile + TILE < K) {
      nextA = A[row * K + tile + TILE + threadIdx.x];    // [next A]
      nextB = B[(tile + TILE + threadIdx.y) * N + col];  // [next B]
    }
    for (int k = 0; k < TILE; ++k) sum += As[half + threadIdx.y][k] * Bs[half + k][threadIdx.x];  // [product]
    half = TILE - half;
  }
  C[row * N + col] = sum;  // [store C]
}
