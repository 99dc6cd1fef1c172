// A grid of 44 x 60 blocks, which have the more to do the further right they are, or all the mean of that.
__global__ void uneven_columns(const float *x, float *y, int n) {
  const unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  const int rounds = ALIKE ? 530 : 100 + 20 * blockIdx.x;
  float value = x[i % (unsigned)n];
  for (int j = 0; j < rounds; ++j) value = value * value + 1.0f;
  y[i] = value;
}
