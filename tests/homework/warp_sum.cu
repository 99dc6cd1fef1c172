#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void warp_sum(const float *x, float *sums, int n) {
  __shared__ volatile float s[32];
  int t = threadIdx.x;
  s[t] = t < n ? x[t] : 0;
  for (int half = 16; half > 0; half /= 2) {
    __syncwarp();
    float more = t < half ? s[t + half] : 0;
    __syncwarp();
    if (t < half) s[t] += more;
  }
  if (t == 0) sums[0] = s[0];
}

int main() {
  const int n = 30;
  std::vector<float> input(n, float(1));
  float *d_in;
  float *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, 1 * sizeof(float));
  cudaMemcpy(d_in, input.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, 1 * sizeof(float));
  warp_sum<<<1, 32>>>(d_in, d_out, n);
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_out);
}
