// Sums and maxima of whole warps, for which ptxas adds up lanes before it asks memory once.
__global__ void aggregated_atomics(const int *x, unsigned *counts, int *sums, int *most, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] % 3 == 0) atomicAdd(counts, 1);
  atomicAdd(sums, x[i] % 7);
  atomicMax(most, x[i] % 1000);
}
