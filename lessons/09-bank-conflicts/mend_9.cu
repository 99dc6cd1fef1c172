// C = A * B by TILE x TILE tiles; the tile of B is kept transposed.

#ifndef TILE
#define TILE 32
#endif

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];  // [declare Bs]
  const int threadRow = threadIdx.y;
  const int threadCol = threadIdx.x;
  const int row = blockIdx.y * TILE + threadRow;
  const int col = blockIdx.x * TILE + threadCol;

  float sum = 0.0f;
  for (int tile = 0; tile < K; tile += TILE) {
    As[threadRow][threadCol] = A[row * K + tile + threadCol];    // [load A]
    Bs[threadCol][threadRow] = B[(tile + threadRow) * N + col];  // [store Bs]
    __syncthreads();  // [tiles ready]

    for (int k = 0; k < TILE; ++k) {
      const float a = As[threadRow][k];  // [read As]
      const float b = Bs[threadCol][k];  // [read Bs]
      sum += a * b;
    }
    __syncthreads();  // [tiles used]
  }
  C[row * N + col] = sum;  // [store C]
}
