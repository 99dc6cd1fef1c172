// Calls and launches that fail and that nobody looks at, each on the line that says why.
#include <cstdlib>

__global__ void fill(float* values) { values[threadIdx.x] = 1; }
__global__ void __launch_bounds__(128) fill_few(float* values) { values[threadIdx.x] = 1; }
__global__ void __cluster_dims__(4) fill_in_clusters(float* values) { values[threadIdx.x] = 1; }

int main() {
  float *a, *b;
  float host[64];
  cudaMalloc(&a, 64 * sizeof(float));
  cudaMalloc(&b, 64 * sizeof(float));
  fill<<<1, 2048>>>(a);                                                  // expect: a block of 2048 threads
  fill<<<1, 32, 51 << 10>>>(a);                                          // expect: 52224 bytes of dynamic shared memory
  fill<<<0, 32>>>(a);                                                    // expect: the grid is 0 x 1 x 1
  fill_few<<<1, 256>>>(a);                                               // expect: the kernel's __launch_bounds__ allow 128
  fill_in_clusters<<<6, 32>>>(a);                                        // expect: no multiple of the cluster's size
  cudaMemcpy(host, a, sizeof host, cudaMemcpyHostToDevice);              // expect: the target is memory of the device
  cudaMemcpy(host, a, 2 * sizeof host, cudaMemcpyDeviceToHost);          // expect: 512 bytes, but
  cudaMemset(host, 0, sizeof host);                                      // expect: the target is memory of the host
  cudaFree(b + 1);                                                       // expect: it points into an allocation
  cudaFree(b);
  cudaFree(b);                                                           // expect: it was freed before
  cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);              // expect: the source was freed
  fill<<<1, 32>>>(a);
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);              // expect: of 256 bytes nobody wrote those from 128 on
  float* pinned;
  cudaMallocHost(&pinned, sizeof host);
  cudaMemcpy(pinned, a, sizeof host, cudaMemcpyDeviceToHost);            // expect: of 256 bytes nobody wrote those from 128 on
  cudaFreeHost(pinned);
  cudaFree(a);
  fill<<<1, 1>>>(a);
}
