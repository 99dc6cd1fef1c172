__global__ void local_array(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[32];
  for (int j = 0; j < 32; ++j) v[j] = x[(i + j * 32) % n];
  int at = (int)(fabsf(v[3]) * 31.0f) % 32;
  float sum = 0.0f;
  for (int j = 0; j < 16; ++j) {
    sum += v[at];
    at = (at * 5 + 7) % 32;
  }
  y[i] = sum;
}
