// Each element becomes the mean of its four neighbours; the border stays.
__global__ void stencil(const float *in, float *out, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || col >= cols) return;
  int i = row * cols + col;
  bool border = row == 0 || col == 0 || row == rows - 1 || col == cols - 1;
  out[i] = border ? in[i] : 0.25f * (in[i - 1] + in[i + 1] + in[i - cols] + in[i + cols]);
}

// What is expected: all copied, then the inner elements replaced.
__global__ void naive(const float *in, float *out, int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) out[y * cols + x] = in[y * cols + x];
  if (x == 0 || x >= cols - 1 || y == 0 || y >= rows - 1) return;
  float above = in[(y - 1) * cols + x], below = in[(y + 1) * cols + x];
  float left = in[y * cols + x - 1], right = in[y * cols + x + 1];
  out[y * cols + x] = (above + below + left + right) / 4;
}
