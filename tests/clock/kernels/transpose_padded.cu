__global__ void transpose_padded(const float *x, float *y, int m, int n) {
  __shared__ float tile[32][33];
  for (int j = threadIdx.y; j < 32; j += 8)
    tile[j][threadIdx.x] = x[(blockIdx.y * 32 + j) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8)
    y[(blockIdx.x * 32 + j) * m + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][j];
}
