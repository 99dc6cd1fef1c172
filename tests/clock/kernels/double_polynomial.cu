__global__ void double_polynomial(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i], sum = 1.0;
#pragma unroll
  for (int j = 0; j < 15; ++j) sum = sum * v + j;
  y[i] = (float)sum;
}
