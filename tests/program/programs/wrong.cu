// Programs like those of students: each kernel has one defect, on the line that names it.
#include <cstdio>

__global__ void past_the_end(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) values[i] = 1;  // expect: out-of-bounds
}

__global__ void no_barrier(float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = static_cast<float>(threadIdx.x);  // expect: read-write-race
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void sum(const float* values, float* out) {
  float total = 0;
  for (int i = 0; i < 4; ++i) total += values[threadIdx.x * 4 + i];  // expect: uninitialised-memory
  out[threadIdx.x] = total;
}

__global__ void barrier_in_branch(float* out) {
  if (threadIdx.x < 16) __syncthreads();  // expect: divergent-barrier
  out[threadIdx.x] = 1;
}

int main() {
  float *values, *out, *never;
  cudaMalloc(&values, 100 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMalloc(&never, 256 * sizeof(float));
  past_the_end<<<1, 128>>>(values, 100);
  no_barrier<<<1, 64>>>(out);
  sum<<<1, 64>>>(never, out);
  barrier_in_branch<<<1, 64>>>(out);
  cudaFree(values);
  cudaFree(out);
  cudaFree(never);
}
