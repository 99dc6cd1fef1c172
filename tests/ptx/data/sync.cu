#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cassert>
namespace cg = cooperative_groups;
__global__ void pipeline(const float4* a, float4* b, int n) {
  __shared__ float4 s[2][128];
  for (int i = 0; i < n; ++i) {
    __pipeline_memcpy_async(&s[i & 1][threadIdx.x], &a[i * 128 + threadIdx.x], 16);
    __pipeline_memcpy_async((float*)&s[i & 1][threadIdx.x], (const float*)&a[i * 128 + threadIdx.x], 4, 2);
    __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads();
    b[i * 128 + threadIdx.x] = s[i & 1][127 - threadIdx.x];
  }
}
#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
__global__ void barriers(const float* a, float* b, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ float s[1024];
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  block.sync();
  for (int i = 0; i < n; ++i) {
    cuda::memcpy_async(block, s, a + i * 1024, sizeof(float) * 1024, bar);
    bar.arrive_and_wait();
    b[i] = s[threadIdx.x];
    auto token = bar.arrive(); bar.wait(std::move(token));
  }
}
#endif
__global__ void groups(const float* a, float* b, const int* c, int* d) {
  auto block = cg::this_thread_block(); auto warp = cg::tiled_partition<32>(block); auto tile = cg::tiled_partition<8>(block);
  float v = a[threadIdx.x];
  v = cg::reduce(warp, v, cg::plus<float>()); v += tile.shfl_down(v, 1); v += tile.shfl_xor(v, 2);
  int x = cg::reduce(warp, c[threadIdx.x], cg::plus<int>()); x += warp.any(x > 3) + warp.all(x > 5) + __popc(warp.ballot(x));
  auto active = cg::coalesced_threads(); x += active.size() + active.thread_rank(); x += warp.match_any(x);
  int pred; x += warp.match_all(x, pred) + pred;
  b[threadIdx.x] = v; d[threadIdx.x] = x;
}
__global__ void warps(const int* a, int* b, unsigned long long* l, float* f) {
  int x = a[threadIdx.x];
  b[0] = __shfl_sync(~0u, x, 3); b[1] = __shfl_up_sync(~0u, x, 1, 16); b[2] = __shfl_down_sync(~0u, x, 2); b[3] = __shfl_xor_sync(~0u, x, 4);
  l[0] = __shfl_sync(~0u, l[1], 3); f[0] = __shfl_xor_sync(~0u, f[1], 8); b[4] = __ballot_sync(~0u, x > 0); b[5] = __all_sync(~0u, x); b[6] = __any_sync(~0u, x);
  b[7] = __match_any_sync(~0u, x); int p; b[8] = __match_all_sync(~0u, l[3], &p); b[9] = p; b[10] = __activemask();
#if __CUDA_ARCH__ >= 800
  b[11] = __reduce_add_sync(~0u, x); b[12] = __reduce_max_sync(~0u, x); b[13] = __reduce_and_sync(~0u, (unsigned)x); b[14] = __reduce_min_sync(~0u, (unsigned)x);
#endif
  __syncwarp(); b[15] = __syncthreads_count(x); b[16] = __syncthreads_and(x); b[17] = __syncthreads_or(x); __threadfence(); __threadfence_block(); __threadfence_system();
  __nanosleep(100); b[18] = clock(); l[4] = clock64(); unsigned r; asm volatile("mov.u32 %0, %%laneid;" : "=r"(r)); b[19] = r;
  asm volatile("bar.sync 1, 64;"); asm volatile("barrier.sync.aligned 2;"); asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r)); b[20]=r; asm("mov.u32 %0, %%smid;" : "=r"(r)); b[21]=r;
}
__global__ void atomics(int* a, unsigned* u, float* f, double* d, unsigned long long* l, unsigned short* h) {
  a[0] = atomicAdd(a + 1, 3); atomicSub(a + 2, 4); a[3] = atomicExch(a + 4, 5); a[5] = atomicMin(a + 6, 7); u[0] = atomicMax(u + 1, 2u); u[2] = atomicInc(u + 3, 4u); u[5] = atomicDec(u + 6, 7u);
  a[8] = atomicCAS(a + 9, 1, 2); a[10] = atomicAnd(a + 11, 3); a[12] = atomicOr(a + 13, 4); a[14] = atomicXor(a + 15, 5); f[0] = atomicAdd(f + 1, 1.f); d[0] = atomicAdd(d + 1, 1.0); l[0] = atomicAdd(l + 1, 2ull);
  atomicAdd_block(a + 20, 1); atomicAdd_system(a + 21, 1); h[0] = atomicCAS(h + 1, (unsigned short)1, (unsigned short)2); l[2] = atomicMin(l+3, 4ull); f[2] = atomicExch(f + 3, 2.f); atomicMax((long long*)l+5, -3ll);
  __shared__ int s; s = 0; __syncthreads(); atomicAdd(&s, 1); __syncthreads(); a[30] = s;
#if __CUDA_ARCH__ >= 900
  atomicAdd((float4*)f, make_float4(1,2,3,4)); atomicAdd((float2*)f, make_float2(1,2));
#endif
}
