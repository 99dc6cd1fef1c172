// Three ways that lanes take, each with a division. Where the dividend is zero it takes a function that only some lanes
// call, and all ways use the same convergence barrier.
__global__ void divisions_in_branches(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = x[i], b = x[(i + 1) % n], c = x[(i + 2) % n];
  const float range = fmaxf(a, fmaxf(b, c)) - fminf(a, fminf(b, c));
  float way = 0;
  if (range > 0) {
    if (a >= b && a >= c)
      way = (i % 5 ? b - c : 0) / range;
    else if (b >= c)
      way = 2 + (i % 7 ? c - a : 0) / range;
    else
      way = 4 + (i % 3 ? a - b : 0) / range;
    if (way < 0) way += 6;
  }
  y[i] = way;
}
