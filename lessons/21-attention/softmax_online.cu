// The softmax of each row, a warp for each: one pass finds the maximum and the sum, which is corrected whenever the
// maximum grows.

#ifndef ROWS
#define ROWS 4
#endif

__global__ void softmax_online(const float *in, float *out, int rows, int cols) {
  const int row = blockIdx.x * ROWS + threadIdx.y;
  if (row >= rows) return;
  in += row * cols, out += row * cols;

  float most = in[threadIdx.x], sum = 1.0f;  // [first]
  for (int col = threadIdx.x + 32; col < cols; col += 32) {
    const float next = in[col];  // [read]
    const float larger = fmaxf(most, next);
    sum = sum * expf(most - larger) + expf(next - larger);  // [correct]
    most = larger;
  }
  for (int step = 16; step > 0; step /= 2) {
    const float other_most = __shfl_xor_sync(0xffffffff, most, step);
    const float other_sum = __shfl_xor_sync(0xffffffff, sum, step);
    const float larger = fmaxf(most, other_most);
    sum = sum * expf(most - larger) + other_sum * expf(other_most - larger);  // [join]
    most = larger;
  }

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
