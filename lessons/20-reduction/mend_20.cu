// The sum of all elements: the last warp goes on without barriers, and each block adds its sum. Something is wrong.

#ifndef THREADS
#define THREADS 256
#endif

__global__ void reduction(const float *in, float *sum, int n) {
  __shared__ float part[THREADS];
  const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
  part[t] = i < n ? in[i] : 0.0f;  // [fill]
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];  // [tree]
    if (half > 32) __syncthreads();           // [level done]
  }
  if (t == 0) *sum += part[0];  // [add block]
}

// What is expected: all added up by one thread.
__global__ void naive(const float *in, float *sum, int n) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  double total = 0;
  for (int i = 0; i < n; ++i) total += in[i];
  *sum = total;
}
