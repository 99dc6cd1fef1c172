// Each thread stores the four words of its structure one after another.
__global__ void stores_fields(float *y, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, words = n >> 8;
#pragma unroll
  for (int i = 0; i < 4; ++i) y[thread * words + i] = thread;
}
