__global__ void product_registers(const float *A, const float *B, float *C, int m, int n, int k) {
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y * 4;
  float sum[4] = {};
  for (int i = 0; i < k; ++i) {
    float b = B[i * n + col];
#pragma unroll
    for (int j = 0; j < 4; ++j) sum[j] += A[(row + j) * k + i] * b;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) C[(row + j) * n + col] = sum[j];
}
