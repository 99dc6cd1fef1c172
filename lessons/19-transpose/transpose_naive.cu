// out = in transposed, a thread for each element. The lanes of a warp lie in a row of in; with SWAPPED, in a row of out.

#ifndef TILE
#define TILE 32
#endif
#ifndef SWAPPED
#define SWAPPED 0
#endif

__global__ void transpose_naive(const float *in, float *out, int rows, int cols) {
  const int x = blockIdx.x * TILE + threadIdx.x;
  const int y = blockIdx.y * TILE + threadIdx.y;
  const int row = SWAPPED ? x : y;  // [row of in]
  const int col = SWAPPED ? y : x;  // [column of in]
  const float value = in[row * cols + col];  // [read in]
  out[col * rows + row] = value;             // [write out]
}

// What is expected: element by element.
__global__ void naive(const float *in, float *out, int rows, int cols) {
  const int x = blockIdx.x * TILE + threadIdx.x;
  const int y = blockIdx.y * TILE + threadIdx.y;
  const int row = SWAPPED ? x : y, col = SWAPPED ? y : x;
  out[col * rows + row] = in[row * cols + col];
}
