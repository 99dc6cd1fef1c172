// C = A * B by TILE x TILE tiles in shared memory, as in kernel 04.

#ifndef TILE
#define TILE 32
#endif

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int threadRow = threadIdx.y;
  const int threadCol = threadIdx.x;
  const int row = blockIdx.y * TILE + threadRow;
  const int col = blockIdx.x * TILE + threadCol;

  float sum = 0.0f;
  for (int tile = 0; tile < K; tile += TILE) {
    As[threadRow][threadCol] = A[row * K + tile + threadCol];    // [load A]
    Bs[threadRow][threadCol] = B[(tile + threadRow) * N + col];  // [load B]

    for (int k = 0; k < TILE; ++k) {
      const float a = As[threadRow][k];  // [read As]
      const float b = Bs[k][threadCol];  // [read Bs]
      sum += a * b;
    }
  }
  C[row * N + col] = sum;  // [store C]
}
