// A kernel without arguments that has local memory.
__device__ int total;

__global__ void no_arguments() {
  int counts[8];
  for (int i = 0; i < 8; ++i) counts[i] = i * threadIdx.x;
  for (int i = 0; i < 40; ++i) ++counts[(i * 5 + threadIdx.x) % 8];
  atomicAdd(&total, counts[threadIdx.x % 8]);
}
