// out = in transposed. A block reads a tile along its rows, keeps it in shared memory and writes it along its columns.
// Each thread moves PER_THREAD elements; PAD columns more keep the tile's columns out of one bank.

#ifndef TILE
#define TILE 32
#endif
#ifndef PER_THREAD
#define PER_THREAD 1
#endif
#ifndef PAD
#define PAD 0
#endif

__global__ void transpose_tile(const float *in, float *out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + PAD];  // [declare tile]
  constexpr int kStep = TILE / PER_THREAD;

  int col = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  float values[PER_THREAD];
  for (int i = 0; i < PER_THREAD; ++i) values[i] = in[(row + i * kStep) * cols + col];          // [read in]
  for (int i = 0; i < PER_THREAD; ++i) tile[threadIdx.y + i * kStep][threadIdx.x] = values[i];  // [write tile]
  __syncthreads();  // [tile ready]

  col = blockIdx.y * TILE + threadIdx.x;  // [column of out]
  row = blockIdx.x * TILE + threadIdx.y;  // [row of out]
  for (int i = 0; i < PER_THREAD; ++i) values[i] = tile[threadIdx.x][threadIdx.y + i * kStep];  // [read tile]
  for (int i = 0; i < PER_THREAD; ++i) out[(row + i * kStep) * rows + col] = values[i];         // [write out]
}

// What is expected: element by element.
__global__ void naive(const float *in, float *out, int rows, int cols) {
  const int col = blockIdx.x * TILE + threadIdx.x;
  for (int i = 0; i < PER_THREAD; ++i) {
    const int row = blockIdx.y * TILE + threadIdx.y + i * (TILE / PER_THREAD);
    out[col * rows + row] = in[row * cols + col];
  }
}
