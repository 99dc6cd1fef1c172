__global__ void product_double_buffer(const float *A, const float *B, float *C, int m, int n, int k) {
  __shared__ float a[2][32][32], b[2][32][32];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y, at = 0;
  a[0][y][x] = A[row * k + x];
  b[0][y][x] = B[y * n + col];
  __syncthreads();
  float sum = 0.0f;
  for (int start = 0; start < k; start += 32) {
    if (start + 32 < k) {
      a[1 - at][y][x] = A[row * k + start + 32 + x];
      b[1 - at][y][x] = B[(start + 32 + y) * n + col];
    }
#pragma unroll
    for (int i = 0; i < 32; ++i) sum += a[at][y][i] * b[at][i][x];
    __syncthreads();
    at = 1 - at;
  }
  C[row * n + col] = sum;
}
