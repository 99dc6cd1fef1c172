// Each element becomes the sum of all up to itself, block by block (Hillis and Steele): two rows take turns.
#define THREADS 256

__global__ void scan(const float *in, float *out, int n) {
  __shared__ float sums[2][THREADS];
  int i = blockIdx.x * THREADS + threadIdx.x, now = 0;
  sums[now][threadIdx.x] = i < n ? in[i] : 0.0f;
  for (int step = 1; step < THREADS; step *= 2) {
    __syncthreads();
    float left = threadIdx.x >= step ? sums[now][threadIdx.x - step] : 0.0f;
    sums[1 - now][threadIdx.x] = sums[now][threadIdx.x] + left;
    now = 1 - now;
  }
  if (i < n) out[i] = sums[now][threadIdx.x];
}

// What is expected: each thread adds up its block's elements up to its own.
__global__ void naive(const float *in, float *out, int n) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int k = blockIdx.x * THREADS; k <= i; ++k) sum += in[k];
  out[i] = sum;
}
