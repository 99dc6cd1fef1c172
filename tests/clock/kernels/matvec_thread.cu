__global__ void matvec_thread(const float *a, const float *x, float *y, int m, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m) return;
  float sum = 0.0f;
  for (int j = 0; j < n; ++j) sum += a[row * n + j] * x[j];
  y[row] = sum;
}
