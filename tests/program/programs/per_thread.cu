// Built with --default-stream per-thread: each thread of the host has a default stream of its own.
#include <cstdio>
#include <thread>

__global__ void twice(int* values) { values[threadIdx.x] *= 2; }

int main() {
  int* values;
  cudaMalloc(&values, 32 * sizeof(int));
  cudaMemset(values, 1, 32 * sizeof(int));
  twice<<<1, 32>>>(values);
  cudaDeviceSynchronize();
  std::thread([&] { twice<<<1, 32>>>(values); }).join();
  twice<<<1, 32>>>(values);  // expect: it reads memory that twice, line 13 of per_thread.cu, writes
  cudaDeviceSynchronize();
  std::thread([&] {
    twice<<<1, 32>>>(values);
    cudaStreamSynchronize(0);
  }).join();
  twice<<<1, 32>>>(values);
  cudaDeviceSynchronize();
  // cudaStreamLegacy takes turns with both.
  std::thread([&] { twice<<<1, 32>>>(values); }).join();
  twice<<<1, 32, 0, cudaStreamLegacy>>>(values);
  twice<<<1, 32>>>(values);
  int host[32];
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%x\n", static_cast<unsigned>(host[5]));
  cudaFree(values);
}
