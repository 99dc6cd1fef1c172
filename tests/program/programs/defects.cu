// One defect a kernel, of classes that wrong.cu lacks; its line says what is found there.
#include <cstdio>
#include <vector>

__global__ void neighbour(const int* in, int* out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + 1];  // expect: out-of-bounds
}

__global__ void difference(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x] - in[static_cast<int>(threadIdx.x) - 1];  // expect: out-of-bounds
}

__global__ void small_tile(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];  // expect: out-of-bounds
  __syncthreads();
  out[threadIdx.x] = tile[(127 - threadIdx.x) % 64];
}

__global__ void partly_filled(const int* in, int* out) {
  __shared__ int tile[128];
  if (threadIdx.x < 100) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];  // expect: uninitialised-memory
}

template <int SIZE>
__global__ void rotate(const int* in, int* out) {
  __shared__ int tile[SIZE];
  tile[threadIdx.x] = in[threadIdx.x];  // expect: read-write-race
  out[threadIdx.x] = tile[(threadIdx.x + 40) % SIZE];
}

__global__ void count(const int* in, int* out) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;  // expect: write-write-race
  atomicAdd(&bins[in[threadIdx.x] & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16) out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void histogram(const int* in, int* out) {
  out[in[threadIdx.x] & 15] += 1;  // expect: write-write-race
}

__device__ int value;
__device__ volatile int flag;
__global__ void pass_on(int* out) {
  if (blockIdx.x == 0) {
    value = 42;  // expect: read-write-race
    flag = 1;
  } else {
    while (flag == 0) {}
    out[0] = value;
  }
}

__global__ void absent_lanes(const int* in, int* out) {
  if (threadIdx.x < 20) out[threadIdx.x] = __shfl_down_sync(0xffffffff, in[threadIdx.x], 1);  // expect: incomplete-warp-sync
}

__global__ void lanes_outside(const int* in, int* out) {
  int sum = in[threadIdx.x];
  if (threadIdx.x < 16) sum += __shfl_xor_sync(0xffff, sum, 16);  // expect: incomplete-warp-sync
  out[threadIdx.x] = sum;
}

int main() {
  const int n = 128;
  std::vector<int> host(n, 1);
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, n * sizeof(int));
  neighbour<<<1, n>>>(in, out);
  difference<<<1, n>>>(in, out);
  small_tile<<<1, n>>>(in, out);
  partly_filled<<<1, n>>>(in, out);
  rotate<n><<<1, n>>>(in, out);
  count<<<1, n>>>(in, out);
  histogram<<<1, n>>>(in, out);
  pass_on<<<2, 1>>>(out);
  absent_lanes<<<1, 32>>>(in, out);
  lanes_outside<<<1, 32>>>(in, out);
  cudaMemcpy(host.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d\n", host[0]);
  cudaFree(in);
  cudaFree(out);
}
