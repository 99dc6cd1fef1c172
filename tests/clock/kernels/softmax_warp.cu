__global__ void softmax_warp(const float *x, float *y, int m, int n) {
  int row = blockIdx.x * 8 + threadIdx.y;
  if (row >= m) return;
  float top = -1e30f, sum = 0.0f;
  for (int j = threadIdx.x; j < n; j += 32) {
    float v = x[row * n + j], higher = fmaxf(top, v);
    sum = sum * __expf(top - higher) + __expf(v - higher);
    top = higher;
  }
  for (int d = 16; d > 0; d /= 2) {
    float t = __shfl_xor_sync(0xffffffff, top, d), s = __shfl_xor_sync(0xffffffff, sum, d), higher = fmaxf(top, t);
    sum = sum * __expf(top - higher) + s * __expf(t - higher);
    top = higher;
  }
  for (int j = threadIdx.x; j < n; j += 32) y[row * n + j] = __expf(x[row * n + j] - top) / sum;
}
