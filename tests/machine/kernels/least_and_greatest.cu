// The least and the greatest of three, signed and unsigned, and a comparison that is a number.
__global__ void least_and_greatest(const int *x, float *y, int n) {
  const int a = x[threadIdx.x], b = x[threadIdx.x + 32], c = x[threadIdx.x + 64];
  const unsigned u = a, v = b, w = c;
  y[threadIdx.x] = min(min(a, b), c);
  y[threadIdx.x + 32] = max(max(a, b), c);
  y[threadIdx.x + 64] = min(min(u, v), w);
  y[threadIdx.x + 96] = max(max(u, v), w);
  const float f = a, g = b;
  y[threadIdx.x + 128] = f * f + g < c ? 1.0f : 0.0f;
}
