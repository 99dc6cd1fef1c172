#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void stencil(const float *in, float *out, int n) {
  __shared__ float s[130];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
  s[t] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) s[0] = i > 0 && i - 1 < n ? in[i - 1] : 0;
  if (threadIdx.x == 127) s[129] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = s[t - 1] + s[t] + s[t + 1];
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
  stencil<<<(n + 128 - 1) / 128, 128>>>(d_in, d_out, n);
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_out);
}
