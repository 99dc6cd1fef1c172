// Warps read line after line: all lines once, or few of them again and again, each time by other SMs.
__global__ void reads_lines(const float *x, float *y) {
  const unsigned warps = gridDim.x * 4, warp = blockIdx.x * 4 + threadIdx.x / 32;
  unsigned other = 0;
  for (unsigned j = 0; j < 16; ++j) {
    const unsigned line = (j * warps + warp + other) % LINES;
    other = x[line * 32 + threadIdx.x % 32] > 1e30f;
  }
  if (other) y[warp] = 1;
}
