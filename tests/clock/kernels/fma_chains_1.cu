__global__ void fma_chains_1(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], v0 = v + 0;
#pragma unroll 16
  for (int j = 0; j < n / 1024; ++j) {
    v0 = v0 * 1.0001f + 0.5f;
  }
  y[i] = v0;
}
