__constant__ float weights[81] = {1, 2, 3, 4, 5, 4, 3, 2, 1, 2, 4, 6, 8, 10, 8, 6, 4, 2};
__global__ void convolution_constant(const float *x, float *y, int m, int n) {
  __shared__ float s[24][24];
  for (int j = threadIdx.y; j < 24; j += 16)
    for (int i = threadIdx.x; i < 24; i += 16) {
      int row = blockIdx.y * 16 + j - 4, col = blockIdx.x * 16 + i - 4;
      s[j][i] = row >= 0 && row < m && col >= 0 && col < n ? x[row * n + col] : 0.0f;
    }
  __syncthreads();
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
#pragma unroll
  for (int j = 0; j < 9; ++j)
#pragma unroll
    for (int i = 0; i < 9; ++i) sum += weights[j * 9 + i] * s[threadIdx.y + j][threadIdx.x + i];
  if (row < m && col < n) y[row * n + col] = sum;
}
