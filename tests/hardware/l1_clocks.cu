// Times how many clocks an SM takes for one warp-wide request, all its warps busy, for access patterns of many kinds:
// the data behind the rule in app/analysis/access_rules.h that L1 takes a clock for each distinct 128-byte line.
//   nvcc -O2 -arch=native -o l1_clocks l1_clocks.cu && ./l1_clocks DATE > tests/analysis/data/DEVICE_l1_clocks.csv
// One block runs on one SM. Per pattern: a warm-up and kRepeats timed launches, of which the median counts.

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "check.h"

namespace {

constexpr int kLanes = 32;
constexpr int kWarps = 32;
constexpr int kUnrolled = 8;  ///< Requests of a warp in one turn of the loop.
constexpr int kTurns = 128;
constexpr int kRepeats = 5;
constexpr uint32_t kLineBytes = 128;
constexpr uint32_t kWindowBytes = 64 << 10;   ///< Of shared memory.
constexpr uint32_t kBufferBytes = 16u << 20;  ///< Larger than L1, smaller than L2.

enum class Op { Load, LoadL2, Store, SharedLoad, SharedStore, CopyCa, CopyCg, Reduce, Atomic };

/// One request of the warp; what it reads goes into `sum`, so that the compiler keeps it.
template <Op op, int bytes>
__device__ __forceinline__ void issue(char* global, uint32_t shared, uint32_t (&sum)[2]) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
#define READ(instruction, address)                                                                                \
  if constexpr (bytes == 4) asm volatile(instruction ".b32 %0,[%1];" : "=r"(a) : address : "memory");              \
  if constexpr (bytes == 8) asm volatile(instruction ".v2.b32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : address : "memory"); \
  if constexpr (bytes == 16)                                                                                      \
  asm volatile(instruction ".v4.b32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : address : "memory")
#define WRITE(instruction, address)                                                                               \
  if constexpr (bytes == 4) asm volatile(instruction ".b32 [%0],%1;" ::address, "r"(sum[0]) : "memory");           \
  if constexpr (bytes == 8) asm volatile(instruction ".v2.b32 [%0],{%1,%1};" ::address, "r"(sum[0]) : "memory");   \
  if constexpr (bytes == 16)                                                                                      \
  asm volatile(instruction ".v4.b32 [%0],{%1,%1,%1,%1};" ::address, "r"(sum[0]) : "memory")
  if constexpr (op == Op::Load) {
    READ("ld.global.ca", "l"(global));
  } else if constexpr (op == Op::LoadL2) {
    READ("ld.global.cg", "l"(global));
  } else if constexpr (op == Op::Store) {
    WRITE("st.global", "l"(global));
  } else if constexpr (op == Op::SharedLoad) {
    READ("ld.shared", "r"(shared));
  } else if constexpr (op == Op::SharedStore) {
    WRITE("st.shared", "r"(shared));
  } else if constexpr (op == Op::CopyCa) {
    asm volatile("cp.async.ca.shared.global [%0],[%1],%2;" ::"r"(shared), "l"(global), "n"(bytes) : "memory");
  } else if constexpr (op == Op::CopyCg) {
    asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(shared), "l"(global) : "memory");
  } else if constexpr (op == Op::Reduce) {
    asm volatile("red.global.add.u32 [%0],%1;" ::"l"(global), "r"(sum[0]) : "memory");
  } else {
    asm volatile("atom.global.add.u32 %0,[%1],%2;" : "=r"(a) : "l"(global), "r"(sum[1]) : "memory");
  }
#undef READ
#undef WRITE
  sum[0] += a ^ b;
  sum[1] += c ^ d;
}

/// Every warp issues kTurns * kUnrolled requests of `op`, each followed by `beside` loads from shared memory. They go
/// through a few neighbouring lines again and again, or each lies `pitch` bytes behind the one before it. `zero` is 0,
/// which the compiler does not know: it must not take two loads for one.
template <Op op, int bytes, int beside, bool moves>
__global__ void __launch_bounds__(kWarps* kLanes)
    time_requests(char* buffer, const uint32_t* offsets, uint32_t mask, uint32_t pitch, uint32_t shared_step, uint32_t zero,
                  unsigned long long* clocks, uint32_t* sink) {
  extern __shared__ char window[];
  const uint32_t lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  for (uint32_t i = threadIdx.x; i < kWindowBytes / 4; i += blockDim.x) reinterpret_cast<uint32_t*>(window)[i] = i;
  const auto base = static_cast<uint32_t>(__cvta_generic_to_shared(window));
  constexpr bool kCopies = op == Op::CopyCa || op == Op::CopyCg;
  uint32_t shared = base + (kCopies ? lane * bytes : offsets[lane]);
  uint32_t side = base + lane * shared_step;
  char* const start_of_lane = buffer + offsets[lane];
  uint32_t sum[2] = {lane, 0};
  uint32_t place = warp * kUnrolled * pitch;
  __syncthreads();
  const long long start = clock64();
  if (mask >> lane & 1)
    for (int turn = 0; turn < kTurns; ++turn) {
      char* global = start_of_lane + (place & (kBufferBytes - 1));
      place += moves ? kWarps * kUnrolled * pitch : zero;
      shared += zero;
      side += zero;
#pragma unroll
      for (int i = 0; i < kUnrolled; ++i) {
        issue<op, bytes>(moves ? global : global + i * kLineBytes, shared + i * kLineBytes, sum);
        if constexpr (moves) global += pitch;
#pragma unroll
        for (int j = 0; j < beside; ++j) issue<Op::SharedLoad, 4>(nullptr, side + (i * beside + j) * kLineBytes, sum);
      }
    }
  if constexpr (kCopies) asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) *clocks = clock64() - start;
  if ((sum[0] ^ sum[1]) == 0x12345) *sink = sum[0];
}

struct Pattern {
  std::string name;
  uint32_t mask = 0xffffffff;
  std::array<uint32_t, kLanes> offsets{};
};

struct Device {
  char* buffer;
  uint32_t *offsets, *sink;
  unsigned long long* clocks;
};

template <Op op, int bytes, int beside, bool moves>
double clocks_per_request(const Device& device, const Pattern& pattern, uint32_t shared_step) {
  const auto kernel = time_requests<op, bytes, beside, moves>;
  const uint32_t last = *std::max_element(pattern.offsets.begin(), pattern.offsets.end());
  const uint32_t pitch = moves ? (last + bytes + 127) / 128 * 128 : 0;
  CHECK(cudaMemcpy(device.offsets, pattern.offsets.data(), sizeof pattern.offsets, cudaMemcpyHostToDevice));
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kWindowBytes));
  std::vector<double> results;
  for (int i = 0; i <= kRepeats; ++i) {
    kernel<<<1, kWarps * kLanes, kWindowBytes>>>(device.buffer, device.offsets, pattern.mask, pitch, shared_step, 0,
                                                 device.clocks, device.sink);
    CHECK(cudaGetLastError());
    unsigned long long clocks = 0;
    CHECK(cudaMemcpy(&clocks, device.clocks, sizeof clocks, cudaMemcpyDeviceToHost));
    if (i > 0) results.push_back(static_cast<double>(clocks) / (kWarps * kTurns * kUnrolled));
  }
  std::sort(results.begin(), results.end());
  return results[results.size() / 2];
}

int next_id = 0;

template <Op op, int bytes, bool moves, int beside = 0>
void print_row(const Device& device, const char* name, const Pattern& pattern, uint32_t shared_step = 0) {
  std::printf("%d,%s,%d,%s,%d,%d,%08x", next_id++, name, bytes, pattern.name.c_str(), beside, shared_step, pattern.mask);
  for (uint32_t offset : pattern.offsets) std::printf(",%u", offset);
  std::printf(",%.3f\n", clocks_per_request<op, bytes, beside, moves>(device, pattern, shared_step));
}

Pattern by_lane(std::string name, const std::function<uint32_t(uint32_t)>& offset, uint32_t mask = 0xffffffff) {
  Pattern pattern{std::move(name), mask, {}};
  for (uint32_t lane = 0; lane < kLanes; ++lane) pattern.offsets[lane] = offset(lane);
  return pattern;
}

/// Patterns of accesses of that many bytes a lane, all within 64 KiB.
std::vector<Pattern> patterns(uint32_t bytes) {
  std::vector<Pattern> all;
  const auto add = [&](std::string name, const std::function<uint32_t(uint32_t)>& offset, uint32_t mask = 0xffffffff) {
    all.push_back(by_lane(std::move(name), offset, mask));
  };
  for (uint32_t stride : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 8u, 12u, 16u, 24u, 31u, 32u, 33u, 64u})
    add("stride " + std::to_string(stride), [=](uint32_t lane) { return lane * stride * bytes; });
  for (uint32_t shift : {4u, 16u, 60u, 64u, 96u, 112u, 124u})
    if (shift % bytes == 0)
      add("neighbours from byte " + std::to_string(shift), [=](uint32_t lane) { return shift + lane * bytes; });
  for (uint32_t columns : {2u, 4u, 8u, 16u})
    add(std::to_string(kLanes / columns) + " rows of " + std::to_string(columns),
        [=](uint32_t lane) { return lane % columns * bytes + lane / columns * 1024; });
  for (uint32_t columns : {2u, 4u, 8u, 16u})
    add(std::to_string(columns) + " rows by columns of " + std::to_string(kLanes / columns),
        [=](uint32_t lane) { return lane / columns * bytes + lane % columns * 1024; });
  for (uint32_t lines : {2u, 3u, 4u, 8u, 16u}) {
    add("lanes in turn on " + std::to_string(lines) + " lines",
        [=](uint32_t lane) { return lane % lines * 128 + lane / lines * bytes % 128; });
    add("one address on each of " + std::to_string(lines) + " lines in turn", [=](uint32_t lane) { return lane % lines * 128; });
    add("one address on each of " + std::to_string(lines) + " lines in blocks of lanes",
        [=](uint32_t lane) { return lane * lines / kLanes * 128; });
  }
  add("descending", [=](uint32_t lane) { return (31 - lane) * bytes; });
  add("permuted", [=](uint32_t lane) { return lane * 7 % 32 * bytes; });
  std::mt19937 random(1);
  for (int i = 0; i < 4; ++i) {
    const uint32_t window = 512u << 2 * i;
    add("random in " + std::to_string(window) + " bytes", [&](uint32_t) { return random() % (window / bytes) * bytes; });
  }
  for (uint32_t mask : {0x1u, 0xffu, 0xffffu, 0xffff0000u, 0x55555555u, 0x11111111u, 0x0000ff00u, 0x80000001u}) {
    add("stride 1", [=](uint32_t lane) { return lane * bytes; }, mask);
    add("a column", [=](uint32_t lane) { return lane * 512; }, mask);
  }
  return all;
}

template <int bytes>
void print_width(const Device& device) {
  for (const Pattern& p : patterns(bytes)) {
    print_row<Op::Load, bytes, false>(device, "ld", p);
    print_row<Op::Load, bytes, true>(device, "ld miss", p);
    print_row<Op::LoadL2, bytes, true>(device, "ld.cg", p);
    print_row<Op::Store, bytes, true>(device, "st", p);
    print_row<Op::CopyCa, bytes, false>(device, "cp.async.ca", p);
    if constexpr (bytes == 16) print_row<Op::CopyCg, bytes, true>(device, "cp.async.cg", p);
    print_row<Op::SharedLoad, bytes, false>(device, "ld.shared", p);
    print_row<Op::SharedStore, bytes, false>(device, "st.shared", p);
    if constexpr (bytes == 4) {
      print_row<Op::Reduce, bytes, true>(device, "red", p);
      print_row<Op::Atomic, bytes, true>(device, "atom", p);
    }
  }
}

/// Accesses of global memory, each with loads from shared memory beside it whose lanes are so many bytes apart.
template <int bytes>
void print_mixed(const Device& device) {
  for (const Pattern& p : patterns(bytes)) {
    if (p.mask != 0xffffffff) continue;
    for (uint32_t step : {0u, 4u, 8u, 16u, 32u}) {
      print_row<Op::Load, bytes, false, 1>(device, "ld", p, step);
      print_row<Op::Load, bytes, false, 4>(device, "ld", p, step);
      print_row<Op::Store, bytes, true, 4>(device, "st", p, step);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: l1_clocks DATE\n"), 2;
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  int driver = 0, runtime = 0, kilohertz = 0;
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
  Device device{};
  CHECK(cudaMalloc(&device.buffer, kBufferBytes + (1 << 20)));
  CHECK(cudaMemset(device.buffer, 1, kBufferBytes + (1 << 20)));
  CHECK(cudaMalloc(&device.offsets, kLanes * sizeof(uint32_t)));
  CHECK(cudaMalloc(&device.sink, sizeof(uint32_t)));
  CHECK(cudaMalloc(&device.clocks, sizeof(unsigned long long)));
  std::printf("id,op,bytes_per_lane,pattern,shared_loads_beside,shared_step,active_mask");
  for (int lane = 0; lane < kLanes; ++lane) std::printf(",o%d", lane);
  std::printf(",clocks_per_request\n");
  print_width<4>(device);
  print_width<8>(device);
  print_width<16>(device);
  print_mixed<4>(device);
  print_mixed<16>(device);
  std::fprintf(stderr, "%s, CUDA driver %d, runtime %d, %d MHz, %s\n", properties.name, driver, runtime, kilohertz / 1000, argv[1]);
  return 0;
}
