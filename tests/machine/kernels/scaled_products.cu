// Products that are multiplied by a power of two, which ptxas puts into the product's instruction.
__global__ void scaled_products(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = x[i] - 0.5f;
  float sum = a * 0.3f * 8.0f;
  sum = fmaxf(sum, a * 1.7f * 4.0f);
  sum = fminf(sum, a * 1.9f * 2.0f);
  sum += fmaxf(a * 0.7f * 0.5f, a * -1.3f * 0.25f);
  y[i] = sum + fminf(a * 7.1f * 0.125f, 0.4f);
}
