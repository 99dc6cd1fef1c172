__global__ void stencil_3d(const float *x, float *y, int m, int n) {
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y, rows = m / 64;
  if (row >= rows || col >= n) return;
  float below = 0.0f, here = x[row * n + col];
  for (int z = 0; z < 64; ++z) {
    int at = (z * rows + row) * n + col;
    float above = z < 63 ? x[at + rows * n] : 0.0f, sum = below + above;
    if (row > 0) sum += x[at - n];
    if (row < rows - 1) sum += x[at + n];
    if (col > 0) sum += x[at - 1];
    if (col < n - 1) sum += x[at + 1];
    y[at] = sum - 6.0f * here;
    below = here;
    here = above;
  }
}
