__global__ void scan_shuffle(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.0f;
  int lane = threadIdx.x % 32;
  for (int d = 1; d < 32; d *= 2) {
    float o = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += o;
  }
  if (i < n) y[i] = v;
}
