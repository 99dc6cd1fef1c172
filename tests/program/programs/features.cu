// Other functions of the runtime; each part says whether the result is a GPU's.
#include <cassert>
#include <cstdio>
#include <vector>

#include <cooperative_groups.h>

__constant__ int table[4];
__device__ int counter = 5;
__managed__ int shared_number = 3;

void report(const char* name, bool right) { std::printf("%s: %s\n", name, right ? "right" : "wrong"); }

__global__ void use_table(int* out) { out[threadIdx.x] = table[threadIdx.x] + atomicAdd(&counter, 0); }
__global__ void use_managed(int* more) { more[0] = shared_number * 2; }
__global__ void say() { printf("thread %d prints\n", threadIdx.x); }
__global__ void meet(int* values) {
  values[blockIdx.x] = blockIdx.x + 1;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0) values[3] = values[0] + values[1] + values[2];
}
__global__ void double_rows(int* in, size_t pitch, int width) {
  int* row = reinterpret_cast<int*>(reinterpret_cast<char*>(in) + blockIdx.x * pitch);
  for (int i = threadIdx.x; i < width; i += blockDim.x) row[i] *= 2;
}
__global__ void fail(int n) { assert(n == 1); }

void try_constant() {
  const int values[4] = {1, 2, 3, 4};
  cudaMemcpyToSymbol(table, values, sizeof values);
  const int ten = 10;
  cudaMemcpyToSymbol(counter, &ten, sizeof ten);
  int *out, host[4];
  cudaMalloc(&out, sizeof host);
  use_table<<<1, 4>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(out);
  report("constant", host[0] == 11 && host[3] == 14);
}

void try_managed() {
  int* more;
  cudaMallocManaged(&more, sizeof(int));
  shared_number = 21;
  use_managed<<<1, 1>>>(more);
  cudaDeviceSynchronize();
  report("managed", more[0] == 42);
  cudaFree(more);
}

void try_printf() {
  say<<<1, 1>>>();
  std::printf("printf behind the host\n");
  cudaDeviceSynchronize();
}

void try_registered() {
  std::vector<int> values(1000, 3);
  int* device;
  cudaMalloc(&device, 4000);
  bool right = cudaHostRegister(values.data(), 4000, cudaHostRegisterDefault) == cudaSuccess &&
               cudaHostRegister(values.data(), 4000, 0) == cudaErrorHostMemoryAlreadyRegistered;
  cudaMemcpyAsync(device, values.data(), 4000, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(values.data() + 1, device, 3996, cudaMemcpyDeviceToHost);
  right &= cudaHostUnregister(values.data()) == cudaSuccess &&
           cudaHostUnregister(values.data()) == cudaErrorHostMemoryNotRegistered && values[999] == 3;
  cudaGetLastError();
  cudaFree(device);
  report("registered", right);
}

void try_cooperative() {
  int *values, host = 0;
  cudaMalloc(&values, 4 * sizeof(int));
  void* arguments[] = {&values};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(meet), dim3(3), dim3(1), arguments, 0, nullptr);
  cudaMemcpy(&host, values + 3, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(values);
  report("cooperative", host == 6);
}

void try_pitched() {
  constexpr int width = 10, height = 3;
  std::vector<int> host(width * height);
  for (int i = 0; i < width * height; ++i) host[i] = i;
  int* in;
  size_t pitch;
  cudaMallocPitch(&in, &pitch, width * sizeof(int), height);
  cudaMemcpy2D(in, pitch, host.data(), width * sizeof(int), width * sizeof(int), height, cudaMemcpyHostToDevice);
  double_rows<<<height, 32>>>(in, pitch, width);
  cudaMemcpy2D(host.data(), width * sizeof(int), in, pitch, width * sizeof(int), height, cudaMemcpyDeviceToHost);
  bool right = true;
  for (int i = 0; i < width * height; ++i) right &= host[i] == 2 * i;
  report("pitched", right);
}

void try_callback() {
  int called = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaLaunchHostFunc(stream, [](void* data) { *static_cast<int*>(data) = 1; }, &called);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  report("callback", called == 1);
}

void try_occupancy() {
  int blocks = 0, grid = 0, block = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, use_table, 1024, 0);
  const cudaError_t error = cudaOccupancyMaxPotentialBlockSize(&grid, &block, use_table);
  report("occupancy", error == cudaSuccess && blocks == 2 && block == 1024 && grid == 264);
}

int main() {
  try_constant();
  try_managed();
  try_registered();
  try_printf();
  try_cooperative();
  try_pitched();
  try_callback();
  try_occupancy();
  fail<<<1, 1>>>(2);
  std::printf("assert: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
