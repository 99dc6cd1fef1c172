__global__ void mandelbrot(float *y, int m, int n) {
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || col >= n) return;
  float cx = -2.0f + 3.0f * col / n, cy = -1.5f + 3.0f * row / m, zx = 0.0f, zy = 0.0f;
  int count = 0;
  while (zx * zx + zy * zy < 4.0f && count < 100) {
    float t = zx * zx - zy * zy + cx;
    zy = 2.0f * zx * zy + cy;
    zx = t;
    ++count;
  }
  y[row * n + col] = (float)count;
}
