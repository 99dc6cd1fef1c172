__global__ void transpose_naive(const float *x, float *y, int m, int n) {
  int col = blockIdx.x * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8) {
    int row = blockIdx.y * 32 + j;
    if (row < m && col < n) y[col * m + row] = x[row * n + col];
  }
}
