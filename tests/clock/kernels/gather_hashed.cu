__global__ void gather_hashed(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = i * 2654435761u;
  h ^= h >> 15;
  y[i] = x[h % (unsigned)n];
}
