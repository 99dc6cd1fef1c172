__global__ void product_tile_8(const float *A, const float *B, float *C, int m, int n, int k) {
  __shared__ float a[8][8], b[8][8];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 8 + x, row = blockIdx.y * 8 + y;
  float sum = 0.0f;
  for (int start = 0; start < k; start += 8) {
    a[y][x] = A[row * k + start + x];
    b[y][x] = B[(start + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  C[row * n + col] = sum;
}
