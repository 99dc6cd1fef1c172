__global__ void random_numbers(float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = i * 2654435761u + 1;
#pragma unroll
  for (int j = 0; j < 32; ++j) {
    v ^= v << 13;
    v ^= v >> 17;
    v ^= v << 5;
  }
  y[i] = v * 2.3283064e-10f;
}
