// out = in transposed through a tile without padding: the word of column c of row r is in place c xor r of its row.

#ifndef TILE
#define TILE 32
#endif

// Where in row r of the tile the word of column c is kept.
#define PLACE(r, c) ((c) ^ (r))

__global__ void transpose_swizzled(const float *in, float *out, int rows, int cols) {
  __shared__ float tile[TILE][TILE];

  int col = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  const float mine = in[row * cols + col];                           // [read in]
  tile[threadIdx.y][PLACE(threadIdx.y, threadIdx.x)] = mine;         // [write tile]
  __syncthreads();                                                   // [tile ready]

  col = blockIdx.y * TILE + threadIdx.x;
  row = blockIdx.x * TILE + threadIdx.y;
  const float other = tile[threadIdx.x][PLACE(threadIdx.x, threadIdx.y)];  // [read tile]
  out[row * rows + col] = other;                                           // [write out]
}

// What is expected: element by element.
__global__ void naive(const float *in, float *out, int rows, int cols) {
  const int col = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;
  out[col * rows + row] = in[row * cols + col];
}
