// Launches what its first argument says, with as many threads as its second: nothing without arguments.
#include <cstdlib>
#include <cstring>

__global__ void inside(float* values) { values[threadIdx.x] = 1; }

__global__ void outside(float* values) { values[threadIdx.x + 1] = 1; }

int main(int argc, char** argv) {
  if (argc < 3) return 3;
  const int threads = std::atoi(argv[2]);
  float* values;
  cudaMalloc(&values, threads * sizeof(float));
  if (!std::strcmp(argv[1], "--inside")) inside<<<1, threads>>>(values);
  if (!std::strcmp(argv[1], "--outside")) outside<<<1, threads>>>(values);
  cudaDeviceSynchronize();
  cudaFree(values);
}
