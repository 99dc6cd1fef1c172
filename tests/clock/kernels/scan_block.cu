__global__ void scan_block(const float *x, float *y, int n) {
  __shared__ float s[2][256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = 0, t = threadIdx.x;
  s[0][t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    s[1 - at][t] = t >= d ? s[at][t] + s[at][t - d] : s[at][t];
    at = 1 - at;
    __syncthreads();
  }
  if (i < n) y[i] = s[at][t];
}
