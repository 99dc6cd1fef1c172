#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void saxpy(const float *x, float *y, int n) {
  int i = blockIdx.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + y[i];
}

int main() {
  const int n = 1000;
  std::vector<float> input(n, float(1));
  float *d_in;
  float *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_in, input.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, n * sizeof(float));
  saxpy<<<(n + 128 - 1) / 128, 128>>>(d_in, d_out, n);
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_out);
}
