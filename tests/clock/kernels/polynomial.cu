__global__ void polynomial(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], sum = 1.0f;
#pragma unroll
  for (int j = 0; j < 15; ++j) sum = sum * v + (float)j;
  y[i] = sum;
}
