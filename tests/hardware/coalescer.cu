// Which SMs' requests for the same line become one on their way to L2, and how close together they must be:
//   coalescer blocks                 the SM of each of 132 blocks, and of each of 112 in clusters of 16: those of a GPC
//   coalescer reads [WAY] < LINES    each line a launch, to be watched by a profiler. WAY: ca (0), or cg (1) past L1,
//                                    or cp.async ca of four lines at a time (2), or cg (3):
//       ncu --clock-control none --cache-control none -k probe --metrics lts__t_sectors_srcunit_tex_op_read.sum
//     with `--cache-control all` and WARM 0 the lines come from DRAM. A line: WARM LINES PERIOD THREADS N SM:DELAY ...
//     N SMs read LINES lines, a warp of THREADS / 32 each; one every PERIOD clocks, or 0: as fast as they can.
//     An SM begins DELAY clocks later than the others. Clocks of SMs are compared by messages, to some 50 clocks.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.h"

namespace {

constexpr int kSms = 132, kShared = 200 * 1024;  // One block for each SM.

__device__ unsigned sm_number() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

__global__ void note_sm(unsigned* sm, bool in_cluster) {
  if (threadIdx.x == 0) sm[blockIdx.x] = sm_number();
  if (in_cluster) cooperative_groups::this_cluster().sync();
  for (const long long end = clock64() + 200000; clock64() < end;) continue;
}

enum Box { kPing = 0, kPong = 32, kMiddle = 64, kArrived = 96, kRound = 128, kStart = 160 };  // Apart in memory.
constexpr unsigned long long kReply = 1ull << 40, kGo = 1ull << 50;

/// The clock at which all begin, by this SM's own: the first SM asks each other one for its clock, and what took least
/// on the way counts.
__device__ long long common_start(unsigned long long* box, int place, int sms) {
  const auto read = [&](int at) { return atomicAdd(&box[at], 0ull); };
  const int rounds = sms == 2 ? 120 : 12;
  atomicAdd(&box[kArrived], 1ull);
  while (read(kArrived) < sms) continue;
  if (place == 0) {
    for (int other = 1; other < sms; ++other)
      for (int round = 0; round < rounds; ++round) {
        const unsigned long long token = other * 256ull + round + 1;
        const long long asked = clock64();
        atomicExch(&box[kPing], token);
        while (read(kPong) != token) continue;
        const long long told = clock64();
        atomicExch(&box[kMiddle], (asked + told) / 2);
        atomicExch(&box[kRound], told - asked);
        __threadfence();
        atomicExch(&box[kPing], token | kReply);
        while (read(kPong) != (token | kReply)) continue;
      }
    atomicExch(&box[kStart], clock64() + 60000);
    __threadfence();
    atomicExch(&box[kPing], kGo);
    return read(kStart);
  }
  long long ahead = 0, best = 1ll << 60;
  for (int round = 0; round < rounds; ++round) {
    const unsigned long long token = place * 256ull + round + 1;
    while (read(kPing) != token) continue;
    const long long here = clock64();
    atomicExch(&box[kPong], token);
    while (read(kPing) != (token | kReply)) continue;
    const long long middle = read(kMiddle), took = read(kRound);
    if (took < best) best = took, ahead = here - middle;
    atomicExch(&box[kPong], token | kReply);
  }
  while (read(kPing) != kGo) continue;
  return read(kStart) + ahead;
}

/// `delay` of each SM, -1: it takes no part; `place` among those that do.
__global__ void __launch_bounds__(1024) probe(const float* data, unsigned long long* box, const int* delay,
                                              const int* place, int sms, int lines, int period, int way) {
  const unsigned sm = sm_number();
  if (delay[sm] < 0) return;
  __shared__ long long start;
  __shared__ volatile int kept;
  __shared__ __align__(16) float4 copied[1024];
  if (threadIdx.x == 0) start = common_start(box, place[sm], sms) + delay[sm];
  __syncthreads();
  float sum = 0;
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
  while (clock64() < start) continue;
  for (int line = warp; line < lines; line += warps) {
    while (clock64() < start + static_cast<long long>(line) * period) continue;
    float value = 0;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&copied[threadIdx.x]));
    const float *word = data + line * 32 + lane, *four = data + line * 128 + lane * 4;
    if (way == 0) asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(value) : "l"(word) : "memory");
    if (way == 1) asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(value) : "l"(word) : "memory");
    if (way == 2) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(four) : "memory");
    if (way == 3) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(four) : "memory");
    if (way >= 2) asm volatile("cp.async.wait_all;" ::: "memory");
    if (value == 1) kept = 1;  // Waits for it.
    sum += value;
  }
  if (sum == 1) kept = 2;
}

__global__ void warm_up(const float* data, int words, float* out) {
  float sum = 0;
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < words; at += gridDim.x * blockDim.x)
    sum += __ldcg(data + at);
  if (sum == 1) *out = sum;
}

template <class T>
T* on_gpu(size_t count) {
  T* memory;
  CHECK(cudaMalloc(&memory, count * sizeof(T)));
  CHECK(cudaMemset(memory, 0, count * sizeof(T)));
  return memory;
}

void print_blocks(unsigned cluster, unsigned blocks) {
  unsigned* sm = on_gpu<unsigned>(blocks);
  CHECK(cudaFuncSetAttribute(note_sm, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  CHECK(cudaFuncSetAttribute(note_sm, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchAttribute shape{};
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t launch{};
  launch.gridDim = blocks;
  launch.blockDim = 64;
  launch.dynamicSmemBytes = kShared;
  launch.attrs = &shape;
  launch.numAttrs = cluster > 1;  // With it, even of 1, blocks go elsewhere.
  CHECK(cudaLaunchKernelEx(&launch, note_sm, sm, cluster > 1));
  std::vector<unsigned> found(blocks);
  CHECK(cudaMemcpy(found.data(), sm, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (unsigned block = 0; block < blocks; ++block)
    std::printf("%u%c", found[block], block + 1 == blocks || (cluster > 1 && (block + 1) % cluster == 0) ? '\n' : ' ');
}

void read_lines(int way) {
  const float* data = on_gpu<float>(64 << 20);
  float* out = on_gpu<float>(1);
  auto* box = on_gpu<unsigned long long>(512);
  int *delay = on_gpu<int>(kSms), *place = on_gpu<int>(kSms);
  CHECK(cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  int warm, lines, period, threads, sms;
  while (std::scanf("%d %d %d %d %d", &warm, &lines, &period, &threads, &sms) == 5) {
    std::vector<int> delays(kSms, -1), places(kSms, 0);
    for (int i = 0, sm, clocks; i < sms && std::scanf("%d:%d", &sm, &clocks) == 2; ++i)
      delays[sm] = clocks, places[sm] = i;
    CHECK(cudaMemcpy(delay, delays.data(), kSms * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(place, places.data(), kSms * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(box, 0, 4096));
    if (warm) warm_up<<<kSms, 256>>>(data, lines * 32 * (way < 2 ? 1 : 4), out);
    probe<<<kSms, threads, kShared>>>(data, box, delay, place, sms, lines, period, way);
    CHECK(cudaDeviceSynchronize());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "blocks") {
    print_blocks(1, kSms);
    print_blocks(16, 112);
  } else {
    read_lines(argc > 2 ? std::atoi(argv[2]) : 0);
  }
}
