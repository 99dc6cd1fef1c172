__global__ void fma_chains_4(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], v0 = v + 0, v1 = v + 1, v2 = v + 2, v3 = v + 3;
#pragma unroll 16
  for (int j = 0; j < n / 1024; ++j) {
    v0 = v0 * 1.0001f + 0.5f;
    v1 = v1 * 1.0001f + 0.5f;
    v2 = v2 * 1.0001f + 0.5f;
    v3 = v3 * 1.0001f + 0.5f;
  }
  y[i] = v0 + v1 + v2 + v3;
}
