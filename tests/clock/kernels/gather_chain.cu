__global__ void gather_chain(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at = i;
  float sum = 0.0f;
  for (int j = 0; j < 8; ++j) {
    float v = x[at % (unsigned)n];
    sum += v;
    at = at * 1664525u + 1013904223u + (unsigned)(v * 8.0f);
  }
  if (i < n) y[i] = sum;
}
