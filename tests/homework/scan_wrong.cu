#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void scan(const float *in, float *out, int n) {
  __shared__ float s[2][128];
  int i = threadIdx.x, from = 0;
  s[0][i] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    s[1 - from][i] = i >= step ? s[from][i] + s[from][i - step] : s[from][i];
    from = 1 - from;
  }
  if (i < n) out[i] = s[from][i];
}

int main() {
  const int n = 100;
  std::vector<float> input(n, float(1));
  float *d_in;
  float *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_in, input.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, n * sizeof(float));
  scan<<<(n + 128 - 1) / 128, 128>>>(d_in, d_out, n);
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_out);
}
