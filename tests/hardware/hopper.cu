// TMA in the emulator compared with a GPU of compute capability 9.0, and launches of TMA, ldmatrix and stmatrix for the
// profiler to count.
//
//   nvcc -O2 -std=c++17 -gencode arch=compute_90a,code=sm_90a -o hopper tests/hardware/hopper.cu
//   ./hopper boxes             copies boxes by TMA and compares each byte with the rules of app/base/tensor_map.h
//   ./hopper patterns          launches a kernel for each pattern; `ncu --csv` around it counts them in this order
//   ./hopper counts            the same for bulk copies both ways, wgmma and mma.sync, each once a launch
//
// Both print a line for each case: its number, its words, and for boxes the bytes that differ.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

constexpr unsigned kShared = 64 * 1024;

__device__ unsigned sharedAddress(const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }

// One box to shared memory `offset` bytes past a multiple of 1024; then all of that memory goes to `out`.
__global__ void copyBox(const __grid_constant__ CUtensorMap map, int x, int y, unsigned offset, unsigned bytes, unsigned char* out) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ __align__(8) unsigned long long barrier;
  for (unsigned i = threadIdx.x; i < kShared; i += blockDim.x) memory[i] = 0xa5;
  const unsigned at = sharedAddress(&barrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
            "r"(sharedAddress(memory) + offset), "l"(&map), "r"(x), "r"(y), "r"(at) : "memory");
  }
  asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra again;\n}" ::"r"(at) : "memory");
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kShared; i += blockDim.x) out[i] = memory[i];
}

template <int COUNT, bool TRANSPOSED>
__global__ void loadMatrices(const unsigned* rows, unsigned* out) {
  extern __shared__ __align__(1024) unsigned char memory[];
  for (unsigned i = threadIdx.x; i < kShared / 4; i += 32) reinterpret_cast<unsigned*>(memory)[i] = i;
  __syncwarp();
  const unsigned at = sharedAddress(memory) + rows[threadIdx.x];
  unsigned r0 = 0, r1 = 0, r2 = 0, r3 = 0;
  if (COUNT == 1 && !TRANSPOSED) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r0) : "r"(at));
  if (COUNT == 2 && !TRANSPOSED) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(at));
  if (COUNT == 4 && !TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(at));
  if (COUNT == 4 && TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(at));
  out[threadIdx.x * 4] = r0;
  out[threadIdx.x * 4 + 1] = r1;
  out[threadIdx.x * 4 + 2] = r2;
  out[threadIdx.x * 4 + 3] = r3;
}

template <int COUNT>
__global__ void storeMatrices(const unsigned* rows, unsigned* out) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const unsigned at = sharedAddress(memory) + rows[threadIdx.x], value = threadIdx.x;
  if (COUNT == 1) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(value) : "memory");
  if (COUNT == 4)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(value) : "memory");
  __syncwarp();
  out[threadIdx.x] = *reinterpret_cast<unsigned*>(memory + rows[threadIdx.x]);
}

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                            const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                            CUtensorMapFloatOOBfill);

Encode encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
  return reinterpret_cast<Encode>(function);
}

struct Box {
  CUtensorMapDataType type;
  int swizzle;  // 0 to 3, as CUtensorMapSwizzle counts
  unsigned width, height, step;
  int x, y;
  unsigned offset;
  bool nan;
};

constexpr unsigned kColumns = 100, kRows = 60, kPitch = 104;  // of the tensor, in elements of four bytes

std::uint32_t tf32(std::uint32_t bits) {
  const bool finite = (bits & 0x7f800000u) != 0x7f800000u;
  return (finite ? bits + 0xfffu + (bits >> 13 & 1u) : bits) & 0xffffe000u;  // ties to even
}

// What app/base/tensor_map.h says that the box puts into shared memory.
std::vector<unsigned char> expected(const Box& box, const std::vector<std::uint32_t>& tensor) {
  std::vector<unsigned char> memory(kShared, 0xa5);
  const unsigned pitch = std::max(box.width * 4, box.swizzle == 0 ? 0u : 16u << box.swizzle);
  for (unsigned row = 0, number = 0; row < box.height; row += box.step, ++number)
    for (unsigned column = 0, at = box.offset + number * pitch; column < box.width; ++column, at += 4) {
      const int x = box.x + static_cast<int>(column), y = box.y + static_cast<int>(row);
      const bool inside = x >= 0 && y >= 0 && x < static_cast<int>(kColumns) && y < static_cast<int>(kRows);
      std::uint32_t value = inside ? tensor[y * kPitch + x] : box.nan ? 0x7ff77ff7u : 0;
      if (box.type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 && inside) value = tf32(value);
      const unsigned pieces = box.swizzle == 0 ? 0 : (1u << box.swizzle) - 1;
      std::memcpy(&memory[at ^ ((at >> 7 & pieces) << 4)], &value, 4);
    }
  return memory;
}

void boxes() {
  std::vector<std::uint32_t> tensor(kPitch * kRows);
  std::uint32_t state = 1;
  for (std::uint32_t& value : tensor) {
    state = state * 1664525u + 1013904223u;
    value = (state & 0x80ffffffu) | 0x3f000000u;
  }
  // Ties and neighbours of the 13 bits that TF32 drops, both signs, at the start of row 0.
  const std::uint32_t low[] = {0x0000, 0x0fff, 0x1000, 0x1001, 0x1fff, 0x2fff, 0x3000, 0x3001};
  for (unsigned i = 0; i < 16; ++i) tensor[i] = (i < 8 ? 0x3f800000u : 0xbf800000u) | low[i % 8];
  unsigned char *device = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&device, tensor.size() * 4));
  CHECK(cudaMalloc(&out, kShared));
  CHECK(cudaMemcpy(device, tensor.data(), tensor.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaFuncSetAttribute(copyBox, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  std::vector<Box> cases;
  for (int swizzle = 0; swizzle < 4; ++swizzle)
    for (const unsigned offset : {0u, 128u, 384u})
      for (const int x : {0, 4, -8, 88})  // others end with an illegal instruction
        for (const int y : {0, -3, 50})
          for (const bool nan : {false, true})
            cases.push_back({CU_TENSOR_MAP_DATA_TYPE_FLOAT32, swizzle, swizzle == 0 ? 64u : 4u << swizzle, 24, 1, x, y, offset, nan});
  for (int swizzle = 1; swizzle < 4; ++swizzle)  // rows shorter than the span: not documented
    for (unsigned width = 4; width < 4u << swizzle; width += 4)
      cases.push_back({CU_TENSOR_MAP_DATA_TYPE_FLOAT32, swizzle, width, 24, 1, 0, 0, 0, false});
  for (const unsigned step : {2u, 3u, 8u}) cases.push_back({CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 0, 64, 24, step, 4, 2, 0, false});
  cases.push_back({CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 0, 16, 4, 1, 0, 0, 0, false});
  const Encode encode = encoder();
  for (size_t i = 0; i < cases.size(); ++i) {
    const Box& box = cases[i];
    CUtensorMap map;
    const cuuint64_t extents[] = {kColumns, kRows}, strides[] = {kPitch * 4};
    const cuuint32_t extent[] = {box.width, box.height}, steps[] = {1, box.step};
    const CUresult encoded = encode(&map, box.type, 2, device, extents, strides, extent, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                    static_cast<CUtensorMapSwizzle>(box.swizzle), CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                    box.nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    std::printf("%zu type %d swizzle %d box %u x %u step %u at (%d, %d) offset %u nan %d: ", i, static_cast<int>(box.type), box.swizzle,
                box.width, box.height, box.step, box.x, box.y, box.offset, box.nan);
    if (encoded != CUDA_SUCCESS) {
      std::printf("not encoded (%d)\n", static_cast<int>(encoded));
      continue;
    }
    const unsigned bytes = box.width * 4 * ((box.height + box.step - 1) / box.step);
    copyBox<<<1, 128, kShared>>>(map, box.x, box.y, box.offset, bytes, out);
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned char> got(kShared);
    CHECK(cudaMemcpy(got.data(), out, kShared, cudaMemcpyDeviceToHost));
    const std::vector<unsigned char> want = expected(box, tensor);
    unsigned differ = 0, first = 0;
    for (unsigned b = kShared; b-- > 0;)
      if (got[b] != want[b]) ++differ, first = b;
    std::printf("%u bytes differ", differ);
    if (differ) std::printf(", the first at %u: %02x%02x%02x%02x for %02x%02x%02x%02x", first, got[first | 3], got[(first & ~3u) + 2],
                            got[(first & ~3u) + 1], got[first & ~3u], want[first | 3], want[(first & ~3u) + 2], want[(first & ~3u) + 1],
                            want[first & ~3u]);
    std::printf("\n");
  }
}

void patterns() {
  unsigned char *tensor = nullptr, *out = nullptr;
  unsigned* rows = nullptr;
  CHECK(cudaMalloc(&tensor, 1 << 22));
  CHECK(cudaMemset(tensor, 0, 1 << 22));
  CHECK(cudaMalloc(&out, kShared));
  CHECK(cudaMalloc(&rows, 128));
  CHECK(cudaFuncSetAttribute(copyBox, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  const auto opt_in = [](auto* kernel) { CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared)); };
  opt_in(loadMatrices<1, false>), opt_in(loadMatrices<2, false>), opt_in(loadMatrices<4, false>), opt_in(loadMatrices<4, true>);
  opt_in(storeMatrices<1>), opt_in(storeMatrices<4>);
  int number = 0;
  // Row addresses: a stride from row to row, and one from matrix to matrix.
  for (const unsigned stride : {16u, 32u, 48u, 64u, 80u, 96u, 112u, 128u, 144u, 160u, 192u, 256u, 272u, 384u, 512u, 1024u, 0u})
    for (const unsigned matrix : {8 * stride, 16u, 128u, 0u}) {
      unsigned host[32];
      for (unsigned lane = 0; lane < 32; ++lane) host[lane] = lane % 8 * stride + lane / 8 * matrix;
      CHECK(cudaMemcpy(rows, host, 128, cudaMemcpyHostToDevice));
      auto* words = reinterpret_cast<unsigned*>(out);
      const auto say = [&](const char* what) { std::printf("%d %s row %u matrix %u\n", number++, what, stride, matrix); };
      say("ldmatrix.x1"), loadMatrices<1, false><<<1, 32, kShared>>>(rows, words);
      say("ldmatrix.x2"), loadMatrices<2, false><<<1, 32, kShared>>>(rows, words);
      say("ldmatrix.x4"), loadMatrices<4, false><<<1, 32, kShared>>>(rows, words);
      say("ldmatrix.x4.trans"), loadMatrices<4, true><<<1, 32, kShared>>>(rows, words);
      say("stmatrix.x1"), storeMatrices<1><<<1, 32, kShared>>>(rows, words);
      say("stmatrix.x4"), storeMatrices<4><<<1, 32, kShared>>>(rows, words);
      CHECK(cudaDeviceSynchronize());
    }
  const Encode encode = encoder();
  for (int swizzle = 0; swizzle < 4; ++swizzle)
    for (const unsigned width : {4u, 8u, 16u, 32u, 64u, 128u, 256u})
      for (const unsigned height : {1u, 2u, 8u, 32u}) {
        if (swizzle > 0 && width != 4u << swizzle) continue;
        if (width * height * 4 > kShared) continue;
        CUtensorMap map;
        const cuuint64_t extents[] = {1024, 1024}, strides[] = {4096};
        const cuuint32_t extent[] = {width, height}, steps[] = {1, 1};
        CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, tensor, extents, strides, extent, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                     static_cast<CUtensorMapSwizzle>(swizzle), CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
        for (const int x : {0, 4}) {
          std::printf("%d tma swizzle %d box %u x %u at (%d, 0)\n", number++, swizzle, width, height, x);
          copyBox<<<1, 32, kShared>>>(map, x, 0, 0, width * height * 4, out);
          CHECK(cudaDeviceSynchronize());
        }
      }
}

// ---- counts: one instruction a launch ----

__device__ void startBarrier(unsigned at, unsigned bytes) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async;\n"
               "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
}
__device__ void waitForBarrier(unsigned at) {
  asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra again;\n}" ::"r"(at) : "memory");
}

__global__ void loadBox(const __grid_constant__ CUtensorMap map, int x, int y, unsigned bytes) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned at = sharedAddress(&barrier);
  if (threadIdx.x != 0) return;
  startBarrier(at, bytes);
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(sharedAddress(memory)), "l"(&map), "r"(x), "r"(y), "r"(at) : "memory");
  waitForBarrier(at);
}

__global__ void storeBox(const __grid_constant__ CUtensorMap map, int x, int y) {
  extern __shared__ __align__(1024) unsigned char memory[];
  if (threadIdx.x != 0) return;
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
               "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(&map), "r"(x), "r"(y), "r"(sharedAddress(memory)) : "memory");
}

__global__ void loadBulk(const unsigned char* from, unsigned offset, unsigned bytes) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned at = sharedAddress(&barrier);
  if (threadIdx.x != 0) return;
  startBarrier(at, bytes);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
                   "r"(sharedAddress(memory) + offset), "l"(from), "r"(bytes), "r"(at) : "memory");
  waitForBarrier(at);
}

__global__ void storeBulk(unsigned char* to, unsigned offset, unsigned bytes) {
  extern __shared__ __align__(1024) unsigned char memory[];
  if (threadIdx.x != 0) return;
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
               "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(to), "r"(sharedAddress(memory) + offset), "r"(bytes) : "memory");
}

#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D16(i) D4(i), D4(i + 4), D4(i + 8), D4(i + 12)
#define R4 "%0, %1, %2, %3"
#define R32 R4 ", %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define R64 R32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

// A and B from shared memory by their descriptors.
enum { BF16_8, BF16_64, BF16_128, BF16_64_TRANSPOSED_B, BF16_64_TRANSPOSED_A, TF32_64, BF16_64_A_IN_REGISTERS };
template <int WHICH>
__global__ void __launch_bounds__(128) wideMultiply(unsigned long long a, unsigned long long b, float* out) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const unsigned long long base = sharedAddress(memory) >> 4;
  a += base, b += base;
  float d[64] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  if (WHICH == BF16_8)
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {" R4 "}, %4, %5, 1, 1, 1, 0, 0;" : D4(0) : "l"(a), "l"(b));
  if (WHICH == BF16_64)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" R32 "}, %32, %33, 1, 1, 1, 0, 0;" : D16(0), D16(16) : "l"(a), "l"(b));
  if (WHICH == BF16_64_TRANSPOSED_B)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" R32 "}, %32, %33, 1, 1, 1, 0, 1;" : D16(0), D16(16) : "l"(a), "l"(b));
  if (WHICH == BF16_64_TRANSPOSED_A)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" R32 "}, %32, %33, 1, 1, 1, 1, 0;" : D16(0), D16(16) : "l"(a), "l"(b));
  if (WHICH == BF16_128)
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" R64 "}, %64, %65, 1, 1, 1, 0, 0;" : D16(0), D16(16), D16(32), D16(48) : "l"(a), "l"(b));
  if (WHICH == TF32_64)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {" R32 "}, %32, %33, 1, 1, 1;" : D16(0), D16(16) : "l"(a), "l"(b));
  if (WHICH == BF16_64_A_IN_REGISTERS)
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" R32 "}, {%32, %32, %32, %32}, %33, 1, 1, 1, 0;" : D16(0), D16(16) : "r"(static_cast<unsigned>(threadIdx.x)), "l"(b));
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  float sum = 0;
  for (const float value : d) sum += value;
  out[threadIdx.x] = sum;
}

template <int WHICH>
__global__ void multiply(float* out) {
  float d[4] = {};
  const unsigned a = threadIdx.x;
  if (WHICH == 0)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};" : D4(0) : "r"(a));
  if (WHICH == 1)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};" : D4(0) : "r"(a));
  if (WHICH == 2)
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%0, %1, %2, %3};" : D4(0) : "r"(a));
  if (WHICH == 3)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%0, %1, %2, %3};" : D4(0) : "r"(a));
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// PTX ISA, "Matrix Descriptor Format": `swizzle` 0 to 3 none, 128, 64, 32 bytes.
unsigned long long descriptor(unsigned start, unsigned leading, unsigned stride, unsigned swizzle) {
  return static_cast<unsigned long long>(start >> 4) | static_cast<unsigned long long>(leading >> 4) << 16 |
         static_cast<unsigned long long>(stride >> 4) << 32 | static_cast<unsigned long long>(swizzle) << 62;
}

void counts() {
  unsigned char* tensor = nullptr;
  float* out = nullptr;
  CHECK(cudaMalloc(&tensor, 1 << 22));
  CHECK(cudaMemset(tensor, 0, 1 << 22));
  CHECK(cudaMalloc(&out, 4096));
  const auto opt_in = [](auto* kernel) { CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared)); };
  opt_in(loadBox), opt_in(storeBox), opt_in(loadBulk), opt_in(storeBulk);
  const Encode encode = encoder();
  struct Boxes {
    unsigned pitch;  // bytes between rows of the tensor
    unsigned width, height;
    int swizzle, x, y;
  };
  const Boxes boxes[] = {
      {4096, 32, 8, 0, 0, 0},  {4096, 32, 8, 0, 4, 0},  {4096, 64, 8, 0, 4, 0},  {4096, 32, 64, 3, 0, 0}, {4096, 16, 64, 2, 0, 0},
      {4096, 8, 64, 1, 0, 0},  {16, 4, 64, 0, 0, 0},    {32, 4, 64, 0, 0, 0},    {32, 8, 64, 0, 0, 0},    {48, 8, 64, 0, 0, 0},
      {48, 12, 64, 0, 0, 0},   {64, 16, 64, 2, 0, 0},   {128, 32, 64, 3, 0, 0},  {128, 32, 64, 3, 0, 1},  {144, 32, 64, 3, 0, 0},
      {144, 16, 64, 0, 0, 0},  {144, 36, 16, 0, 0, 0},  {256, 64, 8, 0, 0, 0},   {272, 64, 8, 0, 0, 0},   {4096, 32, 8, 0, -8, 0},
      {4096, 32, 8, 0, -32, 0}, {4096, 32, 8, 0, 0, -4}, {4096, 32, 8, 0, 1008, 0}, {4096, 16, 8, 3, 0, 0}, {4096, 8, 8, 3, 4, 0},
  };
  int number = 0;
  for (const Boxes& box : boxes) {
    CUtensorMap map;
    const cuuint64_t extents[] = {box.pitch / 4, 256}, strides[] = {box.pitch};
    const cuuint32_t extent[] = {box.width, box.height}, steps[] = {1, 1};
    const CUresult encoded = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, tensor, extents, strides, extent, steps,
                                    CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(box.swizzle),
                                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (encoded != CUDA_SUCCESS) {
      std::printf("- not encoded: pitch %u box %u x %u (%d)\n", box.pitch, box.width, box.height, static_cast<int>(encoded));
      continue;
    }
    const auto say = [&](const char* what) {
      std::printf("%d %s pitch %u box %u x %u swizzle %d at (%d, %d)\n", number++, what, box.pitch, box.width, box.height, box.swizzle, box.x, box.y);
    };
    say("load"), loadBox<<<1, 32, kShared>>>(map, box.x, box.y, box.width * box.height * 4);
    CHECK(cudaDeviceSynchronize());
    if (box.x < 0 || box.y < 0) continue;  // A store there ends with an illegal instruction.
    say("store"), storeBox<<<1, 32, kShared>>>(map, box.x, box.y);
    CHECK(cudaDeviceSynchronize());
  }
  for (const unsigned bytes : {16u, 48u, 128u, 144u, 1024u, 4096u})
    for (const unsigned from : {0u, 16u, 96u})
      for (const unsigned to : {0u, 16u}) {
        std::printf("%d bulk load %u bytes from %u to %u\n", number++, bytes, from, to);
        loadBulk<<<1, 32, kShared>>>(tensor + from, to, bytes);
        CHECK(cudaDeviceSynchronize());
        if (to == 16 && from == 16) continue;
        std::printf("%d bulk store %u bytes from %u to %u\n", number++, bytes, to, from);
        storeBulk<<<1, 32, kShared>>>(tensor + from, to, bytes);
        CHECK(cudaDeviceSynchronize());
      }
  const auto wide = [&](auto* kernel, const char* name, unsigned long long a, unsigned long long b) {
    opt_in(kernel);
    std::printf("%d wgmma %s a %016llx b %016llx\n", number++, name, a, b);
    kernel<<<1, 128, kShared>>>(a, b, out);
    CHECK(cudaDeviceSynchronize());
  };
  constexpr unsigned kB = 32768;  // where B begins
  for (unsigned swizzle = 0; swizzle < 4; ++swizzle) {
    const unsigned span = swizzle == 0 ? 16 : 256u >> swizzle;
    const unsigned leading = swizzle == 0 ? 128 : 16, stride = swizzle == 0 ? 256 : 8 * span;
    const unsigned long long a = descriptor(0, leading, stride, swizzle), b = descriptor(kB, leading, stride, swizzle);
    wide(wideMultiply<BF16_8>, "m64n8k16", a, b);
    wide(wideMultiply<BF16_64>, "m64n64k16", a, b);
    wide(wideMultiply<BF16_128>, "m64n128k16", a, b);
    wide(wideMultiply<TF32_64>, "m64n64k8.tf32", a, b);
    wide(wideMultiply<BF16_64_A_IN_REGISTERS>, "m64n64k16 A in registers", a, b);
  }
  for (unsigned swizzle = 0; swizzle < 4; ++swizzle) {
    const unsigned span = swizzle == 0 ? 16 : 256u >> swizzle;
    const unsigned long long lines = descriptor(0, 8 * span, 8 * span * (128 / span), swizzle), k = descriptor(0, swizzle == 0 ? 128 : 16, swizzle == 0 ? 256 : 8 * span, swizzle);
    wide(wideMultiply<BF16_64_TRANSPOSED_B>, "m64n64k16 B transposed", k, lines + (kB >> 4));
    wide(wideMultiply<BF16_64_TRANSPOSED_A>, "m64n64k16 A transposed", lines, k + (kB >> 4));
  }
  // Row distances that no swizzle has: which rows share a bank?
  for (const unsigned stride : {0u, 128u, 512u, 1024u})
    for (const unsigned leading : {0u, 128u, 1024u}) wide(wideMultiply<BF16_64>, "m64n64k16", descriptor(0, leading, stride, 0), descriptor(kB, leading, stride, 0));
  for (const unsigned start : {32u, 64u, 96u}) wide(wideMultiply<BF16_64>, "m64n64k16", descriptor(start, 16, 1024, 1), descriptor(kB + start, 16, 1024, 1));
  wide(wideMultiply<BF16_64>, "m64n64k16 A and B the same", descriptor(0, 16, 1024, 1), descriptor(0, 16, 1024, 1));
  std::printf("%d mma m16n8k16.bf16\n", number++), multiply<0><<<1, 32>>>(out);
  std::printf("%d mma m16n8k8.tf32\n", number++), multiply<1><<<1, 32>>>(out);
  std::printf("%d mma m16n8k4.tf32\n", number++), multiply<2><<<1, 32>>>(out);
  std::printf("%d mma m16n8k8.f16\n", number++), multiply<3><<<1, 32>>>(out);
  CHECK(cudaDeviceSynchronize());
}

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "boxes") return boxes(), 0;
  if (what == "patterns") return patterns(), 0;
  if (what == "counts") return counts(), 0;
  std::fprintf(stderr, "usage: hopper boxes|patterns|counts\n");
  return 2;
}
