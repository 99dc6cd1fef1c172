// C = A * B: 2 x 2 elements of C for each thread. The elements of k are read while those of k - 1 are multiplied.

#ifndef TILE
#define TILE 16
#endif

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];

  const int blockRow = blockIdx.y * TILE;
  const int blockCol = blockIdx.x * TILE;
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int half = TILE / 2;  // a thread has rows ty and ty + half, columns tx and tx + half

  float sums[2][2] = {{0.0f}};
  float a[2][2];
  float b[2][2];
  for (int tile = 0; tile < K; tile += TILE) {
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        const int row = ty + i * half;
        const int col = tx + j * half;
        As[row][col] = A[(blockRow + row) * K + tile + col];    // [load A]
        Bs[row][col] = B[(tile + row) * N + blockCol + col];    // [load B]
      }
    __syncthreads();  // [tiles ready]

#pragma unroll
    for (int k = 0; k <= TILE; ++k) {
      if (k < TILE) {
        for (int i = 0; i < 2; ++i) a[k % 2][i] = As[ty + i * half][k];  // [read As]
        for (int j = 0; j < 2; ++j) b[k % 2][j] = Bs[k][tx + j * half];  // [read Bs]
      }
      if (k > 0)
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j)
            sums[i][j] += a[(k + 1) % 2][i] * b[(k + 1) % 2][j];  // [product]
    }
    __syncthreads();  // [tiles used]
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      C[(blockRow + ty + i * half) * N + blockCol + tx + j * half] = sums[i][j];  // [store C]
}
