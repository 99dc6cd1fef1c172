__global__ void branches(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  switch (i % 8) {
    case 0: for (int j = 0; j < 20; ++j) v = v * 1.01f + 0.1f; break;
    case 1: v = sqrtf(fabsf(v)); break;
    case 2: for (int j = 0; j < 10; ++j) v = v * v - 0.5f; break;
    case 3: v = expf(v); break;
    case 4: v = sinf(v); break;
    case 5: v = v / (1.0f + v * v); break;
    case 6: v = x[(i + 64) % n]; break;
    default: v = -v;
  }
  y[i] = v;
}
