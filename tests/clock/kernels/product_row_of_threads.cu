__global__ void product_row_of_threads(const float *A, const float *B, float *C, int m, int n, int k) {
  __shared__ float a[64][8], b[8][128];
  int t = threadIdx.x, x = t % 32 * 4, y = t / 32 * 8;
  float sum[8][4] = {};
  for (int start = 0; start < k; start += 8) {
    for (int i = t; i < 512; i += 256) a[i / 8][i % 8] = A[(blockIdx.y * 64 + i / 8) * k + start + i % 8];
    for (int i = t; i < 1024; i += 256) b[i / 128][i % 128] = B[(start + i / 128) * n + blockIdx.x * 128 + i % 128];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float4 q = *(float4 *)&b[i][x];
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        float p = a[y + j][i];
        sum[j][0] += p * q.x;
        sum[j][1] += p * q.y;
        sum[j][2] += p * q.z;
        sum[j][3] += p * q.w;
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 4; ++i) C[(blockIdx.y * 64 + y + j) * n + blockIdx.x * 128 + x + i] = sum[j][i];
}
