// out = in transposed through a tile. One thing is wrong, and one is slow.

#ifndef TILE
#define TILE 32
#endif

__global__ void transpose(const float *in, float *out, int rows, int cols) {
  __shared__ float tile[TILE][TILE];  // [declare tile]

  int col = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  const float mine = in[row * cols + col];  // [read in]
  tile[threadIdx.x][threadIdx.y] = mine;    // [write tile]
  __syncthreads();

  const float other = tile[threadIdx.y][threadIdx.x];  // [read tile]
  out[row * rows + col] = other;                       // [write out]
}

// What is expected: element by element.
__global__ void naive(const float *in, float *out, int rows, int cols) {
  const int col = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;
  out[col * rows + row] = in[row * cols + col];
}
