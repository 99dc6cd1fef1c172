// The sum of all elements: each thread adds PER_THREAD elements before the block folds.

#ifndef THREADS
#define THREADS 256
#endif
#ifndef PER_THREAD
#define PER_THREAD 2
#endif

__global__ void sum_first_adds(const float *in, float *sum, int n) {
  __shared__ float part[THREADS];
  const int t = threadIdx.x, first = blockIdx.x * THREADS * PER_THREAD + t;
  float mine = 0.0f;
  for (int k = 0; k < PER_THREAD; ++k) {
    const int i = first + k * THREADS;
    if (i < n) mine += in[i];  // [read]
  }
  part[t] = mine;  // [fill]
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];  // [tree]
    __syncthreads();                          // [level done]
  }
  if (t == 0) atomicAdd(sum, part[0]);  // [add block]
}

// What is expected: all added up by one thread.
__global__ void naive(const float *in, float *sum, int n) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  double total = 0;
  for (int i = 0; i < n; ++i) total += in[i];
  *sum = total;
}
