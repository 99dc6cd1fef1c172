__global__ void matvec_warp(const float *a, const float *x, float *y, int m, int n) {
  int row = blockIdx.x * 8 + threadIdx.y;
  if (row >= m) return;
  float sum = 0.0f;
  for (int j = threadIdx.x; j < n; j += 32) sum += a[row * n + j] * x[j];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) y[row] = sum;
}
