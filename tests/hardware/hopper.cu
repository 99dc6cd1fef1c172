// What the emulator says of TMA beside a GPU of compute capability 9.0, and what the profiler is to count of TMA,
// ldmatrix and stmatrix.
//
//   nvcc -O2 -std=c++17 -arch=sm_90a -o hopper tests/hardware/hopper.cu
//   ./hopper boxes             copies boxes by TMA and compares each byte with the rules of app/base/tensor_map.h
//   ./hopper patterns          launches a kernel for each pattern; `ncu --csv` around it counts them in this order
//
// Both print a line for each case: its number, its words, and for boxes the bytes that differ.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(call)                                                                             \
  do {                                                                                          \
    const auto code = (call);                                                                   \
    if (static_cast<int>(code) != 0) {                                                          \
      std::fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call, static_cast<int>(code)); \
      std::exit(1);                                                                             \
    }                                                                                           \
  } while (0)

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
  unsigned at = box.offset;
  for (unsigned row = 0; row < box.height; row += box.step)
    for (unsigned column = 0; column < box.width; ++column, at += 4) {
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

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "boxes") return boxes(), 0;
  if (what == "patterns") return patterns(), 0;
  std::fprintf(stderr, "usage: hopper boxes|patterns\n");
  return 2;
}
