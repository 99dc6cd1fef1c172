// C = A * B by TILE x TILE tiles; the tile of B is kept transposed, so that a thread's words of it lie in a row.
// A warp then goes down a column of Bs. PAD widens its rows, SWIZZLE permutes the words within each row.

#ifndef TILE
#define TILE 32
#endif
#ifndef PAD
#define PAD 0
#endif
#ifndef SWIZZLE
#define SWIZZLE 0
#endif
// Exclusive or with the row number exchanges words within a row, in another way for each row.
#define PLACE(row, col) (SWIZZLE ? (col) ^ ((row) % TILE) : (col))

__global__ void sgemm_transposed_tile(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE + PAD];  // [declare Bs]
  const int threadRow = threadIdx.y;
  const int threadCol = threadIdx.x;
  const int row = blockIdx.y * TILE + threadRow;
  const int col = blockIdx.x * TILE + threadCol;

  float sum = 0.0f;
  for (int tile = 0; tile < K; tile += TILE) {
    As[threadRow][threadCol] = A[row * K + tile + threadCol];  // [load A]
    const float word = B[(tile + threadRow) * N + col];        // [load B]
    Bs[threadCol][PLACE(threadCol, threadRow)] = word;         // [store Bs]
    __syncthreads();  // [tiles ready]

    for (int k = 0; k < TILE; ++k) {
      const float a = As[threadRow][k];                    // [read As]
      const float b = Bs[threadCol][PLACE(threadCol, k)];  // [read Bs]
      sum += a * b;
    }
    __syncthreads();  // [tiles used]
  }
  C[row * N + col] = sum;  // [store C]
}
