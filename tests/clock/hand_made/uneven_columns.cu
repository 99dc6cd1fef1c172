// A grid of 44 x 60 blocks, which have the more to do the further right they are, or all the mean of that, or those of
// the last three rows most, with the same mean.
__global__ void uneven_columns(const float *x, float *y, int n) {
  const unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  const int rounds = LATE ? (blockIdx.y < 57 ? 400 : 3000) : ALIKE ? n / 2 : 100 + 20 * blockIdx.x;
  float value = x[i % (unsigned)n];
  for (int j = 0; j < rounds; ++j) value = value * value + 1.0f;
  y[i] = value;
}
