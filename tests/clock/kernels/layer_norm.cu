__global__ void layer_norm(const float *x, float *y, int m, int n) {
  int row = blockIdx.x * 4 + threadIdx.y;
  if (row >= m) return;
  float sum = 0.0f, square = 0.0f;
  for (int j = threadIdx.x; j < n; j += 32) {
    float v = x[row * n + j];
    sum += v;
    square += v * v;
  }
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_xor_sync(0xffffffff, sum, d);
    square += __shfl_xor_sync(0xffffffff, square, d);
  }
  float mean = sum / n, scale = rsqrtf(square / n - mean * mean + 1e-5f);
  for (int j = threadIdx.x; j < n; j += 32) y[row * n + j] = (x[row * n + j] - mean) * scale;
}
