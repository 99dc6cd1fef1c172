__global__ void softmax_block(const float *x, float *y, int n) {
  __shared__ float s[256];
  const float *row = x + blockIdx.x * n;
  float m = -1e30f, sum = 0.0f;
  for (int j = threadIdx.x; j < n; j += 256) m = fmaxf(m, row[j]);
  s[threadIdx.x] = m;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + d]);
    __syncthreads();
  }
  m = s[0];
  __syncthreads();
  for (int j = threadIdx.x; j < n; j += 256) sum += expf(row[j] - m);
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  sum = s[0];
  for (int j = threadIdx.x; j < n; j += 256) y[blockIdx.x * n + j] = expf(row[j] - m) / sum;
}
