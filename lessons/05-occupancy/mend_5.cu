// C = A * B by tiles of 8 x 32, padded with zeros to whole tiles.

#ifndef TILE_ROWS
#define TILE_ROWS 8
#endif
#ifndef TILE_COLS
#define TILE_COLS 32
#endif

__global__ void sgemm(const float *A, const float *B, float *C, int Mp, int Np, int Kp) {
  __shared__ float As[TILE_ROWS][TILE_COLS];
  __shared__ float Bs[TILE_COLS][TILE_COLS];

  const int thread = threadIdx.y * TILE_COLS + threadIdx.x;
  const int threadRow = thread % TILE_ROWS;  // [threadRow]
  const int threadCol = thread / TILE_ROWS;  // [threadCol]
  const int row = blockIdx.y * TILE_ROWS + threadRow;
  const int col = blockIdx.x * TILE_COLS + threadCol;

  float sum = 0.0f;
  for (int tile = 0; tile < Kp; tile += TILE_COLS) {
    As[threadRow][threadCol] = A[row * Kp + tile + threadCol];  // [load A]
    for (int r = threadRow; r < TILE_COLS; r += TILE_ROWS)
      Bs[r][threadCol] = B[(tile + r) * Np + col];  // [load B]
    __syncthreads();  // [tiles ready]

    for (int k = 0; k < TILE_COLS; ++k) {
      const float a = As[threadRow][k];  // [read As]
      const float b = Bs[k][threadCol];  // [read Bs]
      sum += a * b;
    }
    __syncthreads();  // [tiles used]
  }
  C[row * Np + col] = sum;  // [store C]
}
