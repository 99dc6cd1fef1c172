// The softmax of each row, a warp for each: the row stays in the registers of its lanes, PER_LANE words in each.

#ifndef ROWS
#define ROWS 4
#endif
#ifndef PER_LANE
#define PER_LANE 4
#endif

__global__ void softmax_kept(const float *in, float *out, int rows, int cols) {
  const int row = blockIdx.x * ROWS + threadIdx.y;
  if (row >= rows) return;
  in += row * cols, out += row * cols;

  float kept[PER_LANE], most = -INFINITY, sum = 0.0f;
  for (int i = 0; i < PER_LANE; ++i) kept[i] = in[threadIdx.x + 32 * i];  // [read]
  for (int i = 0; i < PER_LANE; ++i) most = fmaxf(most, kept[i]);
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
  for (int i = 0; i < PER_LANE; ++i) sum += kept[i] = expf(kept[i] - most);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  for (int i = 0; i < PER_LANE; ++i) out[threadIdx.x + 32 * i] = kept[i] / sum;  // [divide]
}

// What is expected: a thread for each row, by the definition.
__global__ void naive(const float *in, float *out, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double most = -INFINITY, sum = 0;
  for (int col = 0; col < cols; ++col) most = fmax(most, static_cast<double>(in[row * cols + col]));
  for (int col = 0; col < cols; ++col) sum += exp(in[row * cols + col] - most);
  for (int col = 0; col < cols; ++col) out[row * cols + col] = exp(in[row * cols + col] - most) / sum;
}
