// What a GPU runs side by side: blocks that wait for later ones, clusters of a launch, work of several streams.
#include <cstdio>

#include <cooperative_groups.h>

void report(const char* name, bool right) { std::printf("%s: %s\n", name, right ? "right" : "wrong"); }

// Every block but the last waits for the next one's flag before it uses what that block wrote.
__global__ void pass_on(int* values, volatile int* flags) {
  __shared__ int next;
  if (threadIdx.x == 0) {
    next = 0;
    if (blockIdx.x + 1 < gridDim.x) {
      while (flags[blockIdx.x + 1] == 0) {
      }
      __threadfence();
      next = values[blockIdx.x + 1] + 1;
    }
  }
  __syncthreads();
  if (threadIdx.x == 63) {
    values[blockIdx.x] = next;
    __threadfence();
    flags[blockIdx.x] = 1;
  }
}

__global__ void exchange(int* out) {
  __shared__ int mine;
  const auto cluster = cooperative_groups::this_cluster();
  mine = static_cast<int>(cluster.block_rank());
  cluster.sync();
  const unsigned other = cluster.num_blocks() - 1 - cluster.block_rank();
  out[blockIdx.x] = *cluster.map_shared_rank(&mine, other);
  cluster.sync();
}

__global__ void count(float* values, int turns) {
  float value = values[blockIdx.x * blockDim.x + threadIdx.x];
  for (int i = 0; i < turns; ++i) value = value * 0.5f + 1.0f;
  values[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

void try_waiting() {
  constexpr int kBlocks = 60;
  int *values, *flags, host[kBlocks];
  cudaMalloc(&values, sizeof host);
  cudaMalloc(&flags, sizeof host);
  cudaMemset(flags, 0, sizeof host);
  pass_on<<<kBlocks, 64>>>(values, flags);
  cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(values);
  cudaFree(flags);
  report("waiting", host[0] == kBlocks - 1 && host[kBlocks - 1] == 0);
}

void try_clusters() {
  int *out, host[8];
  cudaMalloc(&out, sizeof host);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {4, 1, 1};
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = 8;
  configuration.blockDim = 1;
  configuration.attrs = &cluster;
  configuration.numAttrs = 1;
  cudaLaunchKernelEx(&configuration, exchange, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(out);
  report("cluster", host[0] == 3 && host[1] == 2 && host[7] == 0);
}

/// Milliseconds of four launches, each in the stream of its number, or all in one.
float time_of_four(int blocks, float* values, cudaStream_t* streams, bool beside) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  for (int i = 0; i < 4; ++i) count<<<blocks, 64, 0, streams[beside ? i : 0]>>>(values + i * blocks * 64, 1000);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return milliseconds;
}

void try_times() {
  constexpr int kSms = 132;
  float* values;
  cudaMalloc(&values, 4 * kSms * 64 * sizeof(float));
  cudaMemset(values, 0, 4 * kSms * 64 * sizeof(float));
  cudaStream_t streams[4];
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  const float in_order = time_of_four(8, values, streams, false), beside = time_of_four(8, values, streams, true);
  report("few blocks", in_order > 3.9f * beside);
  const float large = time_of_four(kSms, values, streams, false), large_beside = time_of_four(kSms, values, streams, true);
  report("many blocks", large > 0.99f * large_beside && large < 1.01f * large_beside);
  for (cudaStream_t& stream : streams) cudaStreamDestroy(stream);
  cudaFree(values);
}

int main() {
  try_waiting();
  try_clusters();
  try_times();
}
