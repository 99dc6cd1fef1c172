// What the device says of its SMs and warps.
__device__ unsigned special(int which) {
  unsigned value = 0;
  if (which == 0) asm("mov.u32 %0, %%smid;" : "=r"(value));
  if (which == 1) asm("mov.u32 %0, %%nsmid;" : "=r"(value));
  if (which == 2) asm("mov.u32 %0, %%warpid;" : "=r"(value));
  return value;
}
__global__ void where_blocks_are(const int *x, unsigned *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = special(0);
  y[n + i] = special(1) + x[i];
  y[2 * n + i] = special(2);
}
