// What a GPU makes of an access outside of an array, one a process:
//
//   nvcc -arch=native -o overruns tests/hardware/overruns.cu
//   ./overruns read INDEX          of 32 words of static shared memory; likewise `write`
//   ./overruns dynamic INDEX BYTES of that many bytes of dynamic shared memory
//   ./overruns global INDEX        of 1024 words that cudaMalloc gave
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void read_static(int* out, long at) {
  __shared__ int words[32];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const volatile int* all = words;
  if (threadIdx.x == 0) out[0] = all[at];
}

__global__ void write_static(int* out, long at) {
  __shared__ int words[32];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  volatile int* all = words;
  if (threadIdx.x == 0) all[at] = 7;
  out[threadIdx.x] = words[threadIdx.x];
}

__global__ void read_dynamic(int* out, long at) {
  extern __shared__ int given[];
  const volatile int* all = given;
  if (threadIdx.x == 0) out[0] = all[at];
}

__global__ void write_global(int* out, long at) {
  volatile int* all = out;
  if (threadIdx.x == 0) all[at] = 1;
}

int main(int count, char** arguments) {
  if (count < 3) return 1;
  int* out;
  cudaMalloc(&out, 1024 * sizeof(int));
  const long at = std::atol(arguments[2]);
  const long bytes = count > 3 ? std::atol(arguments[3]) : 0;
  if (!std::strcmp(arguments[1], "read")) read_static<<<1, 32>>>(out, at);
  if (!std::strcmp(arguments[1], "write")) write_static<<<1, 32>>>(out, at);
  if (!std::strcmp(arguments[1], "dynamic")) read_dynamic<<<1, 32, bytes>>>(out, at);
  if (!std::strcmp(arguments[1], "global")) write_global<<<1, 32>>>(out, at);
  std::printf("%s,%ld,%ld,%s\n", arguments[1], at, bytes, cudaGetErrorString(cudaDeviceSynchronize()));
}
