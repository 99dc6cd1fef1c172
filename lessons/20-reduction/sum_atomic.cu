// The sum of all elements: every thread adds its own by an atomic instruction.

#ifndef THREADS
#define THREADS 256
#endif

__global__ void sum_atomic(const float *in, float *sum, int n) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) atomicAdd(sum, in[i]);  // [add]
}

// What is expected: all added up by one thread.
__global__ void naive(const float *in, float *sum, int n) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  double total = 0;
  for (int i = 0; i < n; ++i) total += in[i];
  *sum = total;
}
