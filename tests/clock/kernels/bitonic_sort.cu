__global__ void bitonic_sort(const float *x, float *y) {
  __shared__ float s[512];
  int base = blockIdx.x * 512, t = threadIdx.x;
  s[t] = x[base + t];
  s[t + 256] = x[base + t + 256];
  for (int size = 2; size <= 512; size *= 2)
    for (int d = size / 2; d > 0; d /= 2) {
      __syncthreads();
      int a = 2 * t - (t & (d - 1)), b = a + d;
      bool up = (a & size) == 0;
      float p = s[a], q = s[b];
      if ((p > q) == up) {
        s[a] = q;
        s[b] = p;
      }
    }
  __syncthreads();
  y[base + t] = s[t];
  y[base + t + 256] = s[t + 256];
}
