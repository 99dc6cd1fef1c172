// A warp for each row: its maximum, the sum of its exponentials, then the quotients.
__global__ void softmax(const float *in, float *out, int rows, int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float most = -INFINITY, sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) most = fmaxf(most, in[row * cols + col]);
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
  for (int col = threadIdx.x; col < cols; col += 32) sum += expf(in[row * cols + col] - most);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  for (int col = threadIdx.x; col < cols; col += 32) out[row * cols + col] = expf(in[row * cols + col] - most) / sum;
}

// What is expected: a thread for each row, by the definition.
__global__ void naive(const float *in, float *out, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int col = 0; col < cols; ++col) sum += expf(in[row * cols + col]);
  for (int col = 0; col < cols; ++col) out[row * cols + col] = expf(in[row * cols + col]) / sum;
}
