// C = A * B by TILE x TILE tiles in shared memory, for matrices of any size.

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
    const int aCol = tile + threadCol;
    const int bRow = tile + threadRow;
    if (row < M && aCol < K) As[threadRow][threadCol] = A[row * K + aCol];  // [load A]
    if (bRow < K && col < N) Bs[threadRow][threadCol] = B[bRow * N + col];  // [load B]
    __syncthreads();  // [tiles ready]

    for (int k = 0; k < TILE; ++k) {
      const float a = As[threadRow][k];  // [read As]
      const float b = Bs[k][threadCol];  // [read Bs]
      sum += a * b;
    }
    __syncthreads();  // [tiles used]
  }
  if (row < M && col < N) C[row * N + col] = sum;  // [store C]
}
