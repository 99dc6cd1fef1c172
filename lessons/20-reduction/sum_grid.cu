// The sum of all elements: BLOCKS blocks go through it in wide steps, a float4 for each thread.

#ifndef THREADS
#define THREADS 256
#endif
#ifndef BLOCKS
#define BLOCKS 8
#endif

// The sum over the lanes of a warp; right in lane 0.
__device__ float warp_sum(float mine) {
  for (int half = 16; half > 0; half /= 2)
    mine += __shfl_down_sync(0xffffffff, mine, half);  // [shuffle]
  return mine;
}

// n must be a multiple of 4.
__global__ void sum_grid(const float *in, float *sum, int n) {
  __shared__ float part[THREADS / 32];
  const int t = threadIdx.x;
  float mine = 0.0f;
  for (int i = blockIdx.x * THREADS + t; i < n / 4; i += BLOCKS * THREADS) {
    const float4 four = reinterpret_cast<const float4 *>(in)[i];  // [read]
    mine += four.x + four.y + four.z + four.w;
  }
  mine = warp_sum(mine);
  if (t % 32 == 0) part[t / 32] = mine;  // [keep]
  __syncthreads();                       // [level done]
  if (t >= 32) return;
  mine = warp_sum(t < THREADS / 32 ? part[t] : 0.0f);  // [warps]
  if (t == 0) atomicAdd(sum, mine);  // [add block]
}

// What is expected: all added up by one thread.
__global__ void naive(const float *in, float *sum, int n) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  double total = 0;
  for (int i = 0; i < n; ++i) total += in[i];
  *sum = total;
}
