// out = in, a thread for each element: what moving the bytes costs when nothing is exchanged.

#ifndef TILE
#define TILE 32
#endif

__global__ void copy(const float *in, float *out, int rows, int cols) {
  const int col = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;
  const float value = in[row * cols + col];  // [read in]
  out[row * cols + col] = value;             // [write out]
}

// What is expected.
__global__ void naive(const float *in, float *out, int rows, int cols) {
  const int col = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;
  out[row * cols + col] = in[row * cols + col];
}
