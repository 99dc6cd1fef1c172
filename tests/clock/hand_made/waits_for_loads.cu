// Each thread waits for one load after the other: what a warp asks for is decided by what it got.
__global__ void waits_for_loads(const float *x, float *y, int n) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 32; ++j) at = (unsigned)(x[at % (unsigned)n] * 4.0f) + at * 1664525u;
  y[blockIdx.x * blockDim.x + threadIdx.x] = (float)at;
}
