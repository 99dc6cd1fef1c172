#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void maximum(const float *x, float *largest, int n) {
  __shared__ float part[128];
  int t = threadIdx.x;
  part[t] = t < n ? x[t] : -1e30f;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
  }
  if (t == 0) largest[0] = part[0];
}

int main() {
  const int n = 100;
  std::vector<float> input(n, float(1));
  float *d_in;
  float *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, 1 * sizeof(float));
  cudaMemcpy(d_in, input.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, 1 * sizeof(float));
  maximum<<<1, 128>>>(d_in, d_out, n);
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_out);
}
