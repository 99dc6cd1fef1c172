__global__ void stencil_2d(const float *x, float *y, int m, int n) {
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || col >= n) return;
  float v = x[row * n + col];
  if (row > 0 && row < m - 1 && col > 0 && col < n - 1)
    v = 0.2f * (v + x[(row - 1) * n + col] + x[(row + 1) * n + col] + x[row * n + col - 1] + x[row * n + col + 1]);
  y[row * n + col] = v;
}
