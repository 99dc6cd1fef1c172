#include <stdio.h>

__global__ void reduceSum(const float *input, float *output, int n) {
  extern __shared__ float sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + tid;
  sdata[tid] = i < n ? input[i] : 0.0f;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();  // the next round
  }
  if (tid == 0) atomicAdd(output, sdata[0]);
}

int main(void) {
  int n = 1 << 20, threads = 128;
  float *in, *out;
  cudaMalloc(&in, n * 4);
  cudaMalloc(&out, 4);
  cudaMemset(out, 0, 4);
  reduceSum<<<(n + threads - 1) / threads, threads, threads * sizeof(float)>>>(in, out, n);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
