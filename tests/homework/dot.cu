#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void dot(const float *x, float *sum, int n) {
  __shared__ float part[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = 0;
  if (i < n) part[threadIdx.x] = x[i] * x[i];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}

int main() {
  const int n = 1000;
  std::vector<float> input(n, float(1));
  float *d_in;
  float *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, 1 * sizeof(float));
  cudaMemcpy(d_in, input.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, 1 * sizeof(float));
  dot<<<(n + 128 - 1) / 128, 128>>>(d_in, d_out, n);
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_out);
}
