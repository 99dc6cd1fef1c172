__global__ void integer_division(const float *x, float *y, int d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int row = i / d, col = i % d;
  y[i] = x[(row * 7 % d) * d + col * 3 % d];
}
