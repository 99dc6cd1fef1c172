__global__ void product_tile_16(const float *A, const float *B, float *C, int m, int n, int k) {
  __shared__ float a[16][16], b[16][17];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0.0f;
  for (int start = 0; start < k; start += 16) {
    a[y][x] = A[row * k + start + x];
    b[x][y] = B[(start + y) * n + col];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += a[y][i] * b[x][i];
    __syncthreads();
  }
  C[row * n + col] = sum;
}
