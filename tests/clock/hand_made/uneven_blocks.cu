// Two blocks for each SM of an H200. Those of one SM may have more to do.
__global__ void uneven_blocks(const float *x, float *y, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int rounds = UNEVEN && blockIdx.x % 132 == 70 ? 2000 : 100 + 10 * (blockIdx.x % 4);
  float value = x[i % (unsigned)n];
  for (int j = 0; j < rounds; ++j) value = value * value + 1.0f;
  y[i] = value;
}
