#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void histogram(const int *values, int *bins, int n) {
  __shared__ int local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&local[values[i] & 63], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main() {
  const int n = 1000;
  std::vector<int> input(n, int(1));
  int *d_in;
  int *d_out;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, 64 * sizeof(int));
  cudaMemcpy(d_in, input.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, 64 * sizeof(int));
  histogram<<<(n + 128 - 1) / 128, 128>>>(d_in, d_out, n);
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_out);
}
