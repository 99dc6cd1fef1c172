// The softmax of each row, a warp for each: a pass for its maximum, one for the sum of its exponentials, one to divide.

#ifndef ROWS
#define ROWS 4
#endif

__global__ void softmax_passes(const float *in, float *out, int rows, int cols) {
  const int row = blockIdx.x * ROWS + threadIdx.y;
  if (row >= rows) return;
  in += row * cols, out += row * cols;

  float most = -INFINITY;
  for (int col = threadIdx.x; col < cols; col += 32) most = fmaxf(most, in[col]);  // [maximum]
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));

  float sum = 0.0f;
  for (int col = threadIdx.x; col < cols; col += 32) sum += expf(in[col] - most);  // [sum]
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);

  for (int col = threadIdx.x; col < cols; col += 32) out[col] = expf(in[col] - most) / sum;  // [divide]
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
