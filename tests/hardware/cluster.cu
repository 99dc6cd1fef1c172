// What the blocks of a cluster cost one another, in clocks of the SM:
//   cluster > h200_cluster.csv
// chase: a chain of loads through the shared memory of another block, or of the block's own by its address in the
// cluster. load, store: a request of a warp to another block's shared memory, all blocks at once, in the long run.
// barrier: the cluster's, between two of them; relaxed: without what orders memory; fence: that alone, and
// after a load or store of each warp. message: from an
// arrival at another block's mbarrier until that block goes on, half a way there and back.
#include <cooperative_groups.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.h"

namespace {

constexpr int kRounds = 512, kWords = 8192;

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ unsigned address_in(unsigned address, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}
__device__ unsigned rank_of_block() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

/// `distance`: to the block whose shared memory it reads, in ranks.
__global__ void chase(int distance, int blocks, long long* clocks, unsigned* sink) {
  __shared__ unsigned next[kWords];
  const unsigned there = (rank_of_block() + distance) % blocks;
  for (int i = threadIdx.x; i < kWords; i += blockDim.x)
    next[i] = address_in(shared_address(&next[(i + 33) % kWords]), rank_of_block());
  cluster_barrier();
  unsigned at = address_in(shared_address(next), there);
  const long long begin = clock64();
  for (int i = 0; i < kRounds; ++i) asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(at));
  const long long end = clock64();
  cluster_barrier();
  if (threadIdx.x == 0) clocks[blockIdx.x] = end - begin;
  sink[blockIdx.x] = at;
}

template <int kVector, bool kStores>
__global__ void move_words(int distance, int blocks, long long* clocks, float* sink) {
  __shared__ __align__(16) float words[kWords];
  const unsigned there = (rank_of_block() + distance) % blocks;
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = i;
  cluster_barrier();
  const unsigned first = address_in(shared_address(&words[threadIdx.x % 256 * kVector]), there);
  float sum[kVector] = {};
  const long long begin = clock64();
#pragma unroll 8
  for (int i = 0; i < kRounds; ++i) {
    const unsigned at = first + i % 8 * 4096;  // Equal loads would become one.
    float v[4] = {sum[0], 1, 2, 3};
    if constexpr (kStores && kVector == 1) {
      asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(at), "f"(v[0]) : "memory");
    } else if constexpr (kStores) {
      asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(v[0]), "f"(v[1]), "f"(v[2]),
                   "f"(v[3])
                   : "memory");
    } else if constexpr (kVector == 1) {
      asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v[0]) : "r"(at) : "memory");
      sum[0] += v[0];
    } else {
      asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                   : "r"(at)
                   : "memory");
      for (int w = 0; w < kVector; ++w) sum[w] += v[w];
    }
  }
  __syncthreads();
  const long long end = clock64();
  cluster_barrier();
  if (threadIdx.x == 0) clocks[blockIdx.x] = end - begin;
  float all = words[threadIdx.x];
  for (const float v : sum) all += v;
  sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

enum class Wait { Barrier, Relaxed, Fence, AfterShared, AfterStore, AfterLoad };
template <Wait kWait>
__global__ void waits(int, int, long long* clocks, float* words) {
  __shared__ float shared[1024];
  float* mine = words + (blockIdx.x * blockDim.x + threadIdx.x);
  float value = threadIdx.x;
  cluster_barrier();
  const long long begin = clock64();
  for (int i = 0; i < kRounds; ++i) {
    if constexpr (kWait == Wait::Barrier) cluster_barrier();
    if constexpr (kWait == Wait::Relaxed)
      asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if constexpr (kWait == Wait::AfterShared)
      asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(shared_address(&shared[threadIdx.x])), "f"(value)
                   : "memory");
    if constexpr (kWait == Wait::AfterStore) asm volatile("st.global.f32 [%0], %1;" ::"l"(mine), "f"(value) : "memory");
    if constexpr (kWait == Wait::AfterLoad) {
      asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(value) : "l"(mine) : "memory");
      value += 1;
      asm volatile("" ::"f"(value));
    }
    if constexpr (kWait >= Wait::Fence) asm volatile("fence.acq_rel.cluster;" ::: "memory");
  }
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) clocks[blockIdx.x] = end - begin;
  if (value < 0) *mine = value + shared[threadIdx.x];
}

__device__ void wait_for(unsigned barrier, unsigned phase) {
  unsigned done = 0;
  while (!done)
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, "
        "p;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(phase)
        : "memory");
}
__global__ void messages(int distance, int blocks, long long* clocks, float*) {
  __shared__ unsigned long long box;
  const unsigned mine = shared_address(&box), rank = rank_of_block();
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(mine) : "memory");
  cluster_barrier();
  const bool plays = threadIdx.x == 0 && (rank == 0 || rank == distance);
  const unsigned theirs = address_in(mine, rank == 0 ? distance : 0);
  const long long begin = clock64();
  for (int i = 0; plays && i < kRounds; ++i) {
    if (rank != 0) wait_for(mine, i % 2);
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(theirs) : "memory");
    if (rank == 0) wait_for(mine, i % 2);
  }
  const long long end = clock64();
  cluster_barrier();
  if (threadIdx.x == 0) clocks[blockIdx.x] = end - begin;
}

template <class Kernel, class Sink>
double clocks_each(Kernel kernel, int distance, int blocks, int clusters, int warps, Sink* sink, long long* clocks) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchConfig_t config{};
  config.gridDim = blocks * clusters;
  config.blockDim = 32 * warps;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  config.attrs = &cluster;
  config.numAttrs = 1;
  std::vector<double> each;
  for (int i = 0; i < 7; ++i) {
    CHECK(cudaLaunchKernelEx(&config, kernel, distance, blocks, clocks, sink));
    CHECK(cudaDeviceSynchronize());
    std::vector<long long> took(blocks * clusters);
    CHECK(cudaMemcpy(took.data(), clocks, took.size() * sizeof took[0], cudaMemcpyDeviceToHost));
    each.push_back(static_cast<double>(took[0]) / kRounds);
  }
  std::sort(each.begin(), each.end());
  return each[each.size() / 2];
}

}  // namespace

int main() {
  long long* clocks = nullptr;
  void* sink = nullptr;
  CHECK(cudaMalloc(&clocks, 1024 * sizeof *clocks));
  CHECK(cudaMalloc(&sink, 1024 * 1024 * 4));
  setvbuf(stdout, nullptr, _IONBF, 0);
  std::printf("what,blocks,distance,clusters,warps,clocks\n");
  const auto row = [&](const char* what, auto kernel, auto* to, int blocks, int distance, int clusters, int warps) {
    std::printf("%s,%d,%d,%d,%d,%.2f\n", what, blocks, distance, clusters, warps,
                clocks_each(kernel, distance, blocks, clusters, warps, to, clocks));
  };
  auto* words = static_cast<float*>(sink);
  for (const int blocks : {1, 2, 4, 16}) {
    for (int distance = 0; distance < std::max(blocks, 1); distance += std::max(1, blocks / 4))
      row("chase", chase, static_cast<unsigned*>(sink), blocks, distance, 1, 1);
    for (const int warps : {1, 4, 8, 16, 32}) {
      const int clusters = 112 / blocks;
      row("barrier", waits<Wait::Barrier>, words, blocks, 0, clusters, warps);
      row("relaxed", waits<Wait::Relaxed>, words, blocks, 0, clusters, warps);
      row("fence", waits<Wait::Fence>, words, blocks, 0, clusters, warps);
      row("fence after shared", waits<Wait::AfterShared>, words, blocks, 0, clusters, warps);
      row("fence after store", waits<Wait::AfterStore>, words, blocks, 0, clusters, warps);
      row("fence after load", waits<Wait::AfterLoad>, words, blocks, 0, clusters, warps);
      if (blocks == 1) {  // Two blocks for each SM.
        row("barrier", waits<Wait::Barrier>, words, blocks, 0, 264, warps);
        row("fence", waits<Wait::Fence>, words, blocks, 0, 264, warps);
        row("fence after shared", waits<Wait::AfterShared>, words, blocks, 0, 264, warps);
        row("fence after store", waits<Wait::AfterStore>, words, blocks, 0, 264, warps);
        row("fence after load", waits<Wait::AfterLoad>, words, blocks, 0, 264, warps);
      }
      for (const int distance : {0, 1}) {
        if (distance == blocks) continue;
        row("load 16", move_words<4, false>, words, blocks, distance, clusters, warps);
        row("store 4", move_words<1, true>, words, blocks, distance, clusters, warps);
        row("store 16", move_words<4, true>, words, blocks, distance, clusters, warps);
      }
    }
    for (int distance = 1; distance < blocks; distance += std::max(1, blocks / 4)) {
      const double there_and_back = clocks_each(messages, distance, blocks, 112 / blocks, 1, words, clocks);
      std::printf("message,%d,%d,%d,1,%.2f\n", blocks, distance, 112 / blocks, there_and_back / 2);
    }
  }
  return 0;
}
