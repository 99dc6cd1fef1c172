// The sum of all elements: a tree in each block, in which neighbours add first. Which threads add is found by %.

#ifndef THREADS
#define THREADS 256
#endif

__global__ void sum_neighbours(const float *in, float *sum, int n) {
  __shared__ float part[THREADS];
  const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  part[t] = i < n ? in[i] : 0.0f;  // [fill]
  __syncthreads();
  for (int step = 1; step < THREADS; step *= 2) {
    if (t % (2 * step) == 0)        // [who adds]
      part[t] += part[t + step];    // [tree]
    __syncthreads();                // [level done]
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
