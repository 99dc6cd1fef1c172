__global__ void copy_unrolled(const float *x, float *y, int n) {
  int i = blockIdx.x * 1024 + threadIdx.x;
  float v[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) v[j] = i + 256 * j < n ? x[i + 256 * j] : 0.0f;
#pragma unroll
  for (int j = 0; j < 4; ++j)
    if (i + 256 * j < n) y[i + 256 * j] = v[j];
}
