// The sum of a vector: half of the threads add at each step, and one atomic a block.
#define THREADS 256

__global__ void reduction(const float *values, float *sum, int n) {
  __shared__ float partial[THREADS];
  int i = blockIdx.x * THREADS + threadIdx.x;
  partial[threadIdx.x] = i < n ? values[i] : 0.0f;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
}

// What is expected: all added up by one thread.
__global__ void naive(const float *values, float *sum, int n) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  double total = 0;
  for (int i = 0; i < n; ++i) total += values[i];
  *sum = total;
}
