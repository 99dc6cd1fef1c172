// What products of warp groups and bulk copies take, in clocks of the SM:
//   nvcc -O2 -std=c++17 -gencode=arch=compute_90a,code=sm_90a tensor_clocks.cu && ./a.out > h200_tensor_clocks.csv
// product: of 64 x n x 16 of BF16 by so many warp groups, a group of four products under way while the next is issued, or
// waited for (alone); beside it, if not none: lds, a warp for each scheduler loads 16 bytes a thread from shared memory;
// copy, one thread copies 16 KB after 16 KB into it. The clocks of each product of an SM, and of what goes on beside it.
// copy: bulk copies of so many bytes, from the request until a thread that waits for the mbarrier goes on, or so many
// under way. box: the same of a tensor's box of 64 columns. store: likewise to global memory, until the bytes are read, and
// until they are written.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

namespace {

constexpr int kRounds = 256, kShared = 200 << 10, kStage = 16 << 10;

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
__device__ void init(unsigned long long* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
__device__ void expect(unsigned long long* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}
__device__ void wait(unsigned long long* barrier, unsigned phase) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
          shared_address(barrier)),
      "r"(phase)
      : "memory");
}
__device__ void copy(void* to, const void* from, unsigned bytes, unsigned long long* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}
__device__ void copy_box(void* to, const CUtensorMap* map, int x, int y, unsigned long long* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
      : "memory");
}
__device__ unsigned long long descriptor(const void* tile, unsigned leading, unsigned stride) {
  return static_cast<unsigned long long>(shared_address(tile) >> 4) |
         static_cast<unsigned long long>(leading >> 4) << 16 | static_cast<unsigned long long>(stride >> 4) << 32 |
         1ull << 62;
}

#define F4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define F32(i) F4(i), F4(i + 4), F4(i + 8), F4(i + 12), F4(i + 16), F4(i + 20), F4(i + 24), F4(i + 28)
#define R4 "%0, %1, %2, %3"
#define R32                                                                                                       \
  R4 ", %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, " \
     "%26, %27, %28, %29, %30, %31"
#define R64                                                                                                           \
  R32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "   \
      "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define R128                                                                                                          \
  R64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, "   \
      "%85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, "     \
      "%105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, "  \
      "%123, %124, %125, %126, %127"

template <int n>
__device__ void multiply(float (&d)[n / 2], unsigned long long a, unsigned long long b) {
  if constexpr (n == 8)
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {" R4 "}, %4, %5, 1, 1, 1, 0, 1;"
                 : F4(0)
                 : "l"(a), "l"(b));
  if constexpr (n == 64)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" R32 "}, %32, %33, 1, 1, 1, 0, 1;"
                 : F32(0)
                 : "l"(a), "l"(b));
  if constexpr (n == 128)
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" R64 "}, %64, %65, 1, 1, 1, 0, 1;"
                 : F32(0), F32(32)
                 : "l"(a), "l"(b));
  if constexpr (n == 256)
    asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" R128 "}, %128, %129, 1, 1, 1, 0, 1;"
                 : F32(0), F32(32), F32(64), F32(96)
                 : "l"(a), "l"(b));
}

enum Beside { kNone, kLoads, kCopies };
const char* const kBeside[] = {"none", "lds", "copy"};

/// The warp groups but the first multiply. The first does what goes on beside until they are done.
template <int n, bool alone>
__global__ void __launch_bounds__(384, 1) products(Beside beside, const char* global, long long* out, float* sink) {
  extern __shared__ __align__(1024) char memory[];
  __shared__ unsigned long long full[4];
  __shared__ volatile int done;
  const int group = static_cast<int>(threadIdx.x / 128) - 1, groups = static_cast<int>(blockDim.x / 128) - 1;
  for (int i = threadIdx.x; i < kShared / 4; i += blockDim.x) reinterpret_cast<float*>(memory)[i] = 0;
  if (threadIdx.x == 0) done = 0;
  if (threadIdx.x < 4) init(&full[threadIdx.x], 1);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (group < 0) {
    long long others = 0;
    float sum = 0;
    char* const mine = memory + (128 << 10);
    const long long begin = clock64();
    if (beside == kLoads) {
      while (done < groups) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          float4 v;
          asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                       : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                       : "r"(shared_address(mine) + threadIdx.x * 16 + i * 2048)
                       : "memory");
          sum += v.x + v.y + v.z + v.w;
        }
        others += 8 * 4;
      }
    } else if (beside == kCopies && threadIdx.x == 0) {
      for (int i = 0; i < 4; ++i) {
        expect(&full[i], kStage);
        copy(mine + i * kStage, global + (blockIdx.x * 4 + i) * kStage, kStage, &full[i]);
      }
      unsigned use = 0;
      for (; done < groups; ++use) {
        wait(&full[use % 4], use / 4 % 2);
        expect(&full[use % 4], kStage);
        copy(mine + use % 4 * kStage, global + (blockIdx.x * 4 + use % 4) * kStage, kStage, &full[use % 4]);
        ++others;
      }
      for (int i = 0; i < 4; ++i, ++use) wait(&full[use % 4], use / 4 % 2);
    } else {
      while (done < groups) __nanosleep(1000);
    }
    const long long end = clock64();
    if (threadIdx.x == 0 && blockIdx.x == 0) out[2] = end - begin, out[3] = others;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    return;
  }
  float d[n / 2] = {};
  const unsigned long long a = descriptor(memory + group * 8192, 16, 1024);
  const unsigned long long b = descriptor(memory + (32 << 10), 8192, 1024);
  const long long begin = clock64();
  for (int i = 0; i < kRounds; ++i) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    if constexpr (alone) {
      multiply<n>(d, a, b);
      asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    } else {
#pragma unroll
      for (int step = 0; step < 4; ++step) multiply<n>(d, a + step * 2, b + step * 128);
      asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;" ::: "memory");
    }
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  const long long end = clock64();
  if (threadIdx.x % 128 == 0) {
    atomicAdd(const_cast<int*>(&done), 1);
    if (blockIdx.x == 0 && group == 0) out[0] = end - begin, out[1] = kRounds * (alone ? 1 : 4) * groups;
  }
  float all = 0;
  for (const float v : d) all += v;
  sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

/// One thread of each block, `under_way` copies at once. `rows`: of a box, 0 for a copy without a tensor.
template <int under_way, bool box>
__global__ void copies(const __grid_constant__ CUtensorMap map, const char* global, int rows, unsigned bytes,
                       unsigned apart, long long* out) {
  extern __shared__ __align__(1024) char memory[];
  __shared__ unsigned long long full[8];
  if (threadIdx.x < 8) init(&full[threadIdx.x], 1);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x > 0) return;
  const unsigned pitch = (bytes + 1023) / 1024 * 1024;
  const char* from = global + size_t{blockIdx.x * kRounds} * apart;
  int row = 0;
  const auto ask = [&](int stage) {
    expect(&full[stage], bytes);
    if constexpr (box)
      copy_box(memory + stage * pitch, &map, 0, row, &full[stage]);
    else
      copy(memory + stage * pitch, from, bytes, &full[stage]);
    from += apart;
    row = (row + rows) & 8191;
  };
  long long begin = 0, last = 0, first = clock64();
#pragma unroll
  for (int stage = 0; stage < under_way; ++stage) ask(stage);
  for (int round = 0; round < kRounds / under_way; ++round) {
    if (round == 1) begin = clock64();
#pragma unroll
    for (int stage = 0; stage < under_way; ++stage) {
      wait(&full[stage], round & 1);
      if (round == 0 && stage == 0) last = clock64();
      ask(stage);
    }
  }
  const long long end = clock64();
#pragma unroll
  for (int stage = 0; stage < under_way; ++stage) wait(&full[stage], kRounds / under_way & 1);
  if (blockIdx.x == 0) out[0] = (end - begin) / (kRounds - under_way), out[1] = last - first;
}

template <bool read, int under_way>
__global__ void stores(char* global, unsigned bytes, long long* out) {
  extern __shared__ __align__(1024) char memory[];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x > 0) return;
  char* to = global + size_t{blockIdx.x * kRounds} * bytes;
  const long long begin = clock64();
  for (int i = 0; i < kRounds; ++i, to += bytes) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to),
        "r"(shared_address(memory)), "r"(bytes)
        : "memory");
    if constexpr (read)
      asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(under_way - 1) : "memory");
    else
      asm volatile("cp.async.bulk.wait_group %0;" ::"n"(under_way - 1) : "memory");
  }
  const long long end = clock64();
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  if (blockIdx.x == 0) out[0] = (end - begin) / kRounds, out[1] = 0;
}

long long* out;
char* global;
float* sink;
using Figures = std::vector<double>;

/// The median of seven launches, of each of the figures it leaves.
template <class Launch>
Figures timed(Launch launch) {
  std::vector<std::vector<long long>> each(4);
  for (int i = 0; i < 7; ++i) {
    launch();
    CHECK(cudaDeviceSynchronize());
    long long figures[4] = {};
    CHECK(cudaMemcpy(figures, out, sizeof figures, cudaMemcpyDeviceToHost));
    for (int f = 0; f < 4; ++f) each[f].push_back(figures[f]);
  }
  Figures medians;
  for (auto& one : each) std::sort(one.begin(), one.end()), medians.push_back(static_cast<double>(one[3]));
  return medians;
}

template <int n, bool alone>
void product_rows() {
  CHECK(cudaFuncSetAttribute(products<n, alone>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  for (const int groups : {1, 2})
    for (const Beside beside : {kNone, kLoads, kCopies}) {
      if (alone && beside != kNone) continue;
      const Figures f = timed(
          [&] { products<n, alone><<<1, 128 * (groups + 1), kShared>>>(beside, global, out, sink); });
      std::printf("product,%d,%d,%s,%s,1,%.2f,%.2f\n", n, groups, alone ? "alone" : "under way", kBeside[beside],
                  f[0] / f[1], f[3] > 0 ? f[2] / f[3] : 0);
    }
}

CUtensorMap map_of(int rows) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
  CUtensorMap map;
  const cuuint64_t extents[] = {64, 8192}, strides[] = {128};
  const cuuint32_t extent[] = {64, static_cast<cuuint32_t>(rows)}, steps[] = {1, 1};
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, global, extents, strides, extent, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    std::printf("cuTensorMapEncodeTiled failed\n"), exit(1);
  return map;
}

void print(const char* what, unsigned bytes, int under_way, int blocks, const Figures& f) {
  std::printf("%s,%u,%d,,,%d,%.0f,%.0f\n", what, bytes, under_way, blocks, f[0], f[1]);
}

template <int under_way>
void copy_rows() {
  CHECK(cudaFuncSetAttribute(copies<under_way, false>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  CHECK(cudaFuncSetAttribute(copies<under_way, true>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  for (const int blocks : {1, 132}) {
    for (const unsigned bytes : {16u, 128u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u}) {
      const unsigned apart = blocks == 1 ? bytes : std::min(bytes, 512u);  // All within L2.
      const CUtensorMap none{};
      print("copy", bytes, under_way, blocks, timed([&] {
              copies<under_way, false><<<blocks, 32, kShared>>>(none, global, 0, bytes, apart, out);
            }));
    }
    for (const int rows : {1, 8, 32, 64, 128}) {
      const CUtensorMap map = map_of(rows);
      print("box", rows * 128, under_way, blocks, timed([&] {
              copies<under_way, true><<<blocks, 32, kShared>>>(map, global, rows, rows * 128, 0, out);
            }));
    }
  }
}

template <int under_way>
void store_rows() {
  CHECK(cudaFuncSetAttribute(stores<true, under_way>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  CHECK(cudaFuncSetAttribute(stores<false, under_way>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  for (const int blocks : {1, 132})
    for (const unsigned bytes : {128u, 1024u, 4096u, 8192u, 16384u}) {
      print("store read", bytes, under_way, blocks,
            timed([&] { stores<true, under_way><<<blocks, 32, kShared>>>(global, bytes, out); }));
      print("store written", bytes, under_way, blocks,
            timed([&] { stores<false, under_way><<<blocks, 32, kShared>>>(global, bytes, out); }));
    }
}

}  // namespace

int main() {
  CHECK(cudaMalloc(&out, 64));
  CHECK(cudaMemset(out, 0, 64));
  CHECK(cudaMalloc(&global, size_t{1} << 30));
  CHECK(cudaMemset(global, 0, size_t{1} << 30));
  CHECK(cudaMalloc(&sink, size_t{1} << 20));
  std::printf("what,columns_or_bytes,warp_groups_or_under_way,products,beside,blocks,clocks,clocks_beside_or_first\n");
  product_rows<8, true>();
  product_rows<64, true>();
  product_rows<128, true>();
  product_rows<256, true>();
  product_rows<8, false>();
  product_rows<64, false>();
  product_rows<128, false>();
  product_rows<256, false>();
  copy_rows<1>();
  copy_rows<2>();
  copy_rows<4>();
  copy_rows<8>();
  store_rows<1>();
  store_rows<2>();
  store_rows<4>();
  return 0;
}
