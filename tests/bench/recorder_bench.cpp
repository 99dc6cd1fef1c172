// The cost of recording an access, by the shape of its addresses; `bytes_a_record` counts the whole trace.
#include <array>
#include <random>

#include <benchmark/benchmark.h>

#include "trace/lane_addresses.h"
#include "trace/trace.h"

namespace tilescope::trace {
namespace {

using Lanes = std::array<uint64_t, kLanes>;
constexpr uint32_t kAll = 0xffffffffu;
constexpr uint64_t kBase = uint64_t{1} << 36;

Lanes one_stride() {
  Lanes lanes;
  for (uint32_t l = 0; l < kLanes; ++l) lanes[l] = kBase + l * 4;
  return lanes;
}

Lanes two_strides() {
  Lanes lanes;
  for (uint32_t l = 0; l < kLanes; ++l) lanes[l] = kBase + l % 8 * 4 + l / 8 * 4096;
  return lanes;
}

Lanes scattered() {
  std::mt19937 random(1);
  Lanes lanes;
  for (uint64_t& address : lanes) address = kBase + random() % 65536 * 4;
  return lanes;
}

void fit(benchmark::State& state, const Lanes& lanes, uint32_t active) {
  for (auto _ : state) {
    AffineLanes form;
    benchmark::DoNotOptimize(fit_affine(lanes.data(), active, form));
    benchmark::DoNotOptimize(form);
  }
}
BENCHMARK_CAPTURE(fit, one_stride, one_stride(), kAll);
BENCHMARK_CAPTURE(fit, two_strides, two_strides(), kAll);
BENCHMARK_CAPTURE(fit, scattered, scattered(), kAll);
BENCHMARK_CAPTURE(fit, half_mask_one_stride, one_stride(), 0x0000ffffu);
BENCHMARK_CAPTURE(fit, half_mask_two_strides, two_strides(), 0x0000ffffu);
BENCHMARK_CAPTURE(fit, odd_mask_scattered, scattered(), 0xaaaaaaaau);

void record_million(benchmark::State& state, const Lanes& lanes, uint32_t active) {
  constexpr uint32_t kRecords = 1'000'000;
  double bytes = 0;
  for (auto _ : state) {
    Recorder recorder(Header{});
    recorder.block_begin(0);
    Access access;
    access.addresses = lanes.data();
    for (uint32_t i = 0; i < kRecords; ++i) {
      access.at = {i % 512, 0, static_cast<uint16_t>(i % 8), i / 8, active};
      recorder.access(access);
    }
    const Trace trace = recorder.take();
    bytes = static_cast<double>(trace.memory_bytes()) / kRecords;
  }
  state.SetItemsProcessed(state.iterations() * kRecords);
  state.counters["bytes_a_record"] = bytes;
}
BENCHMARK_CAPTURE(record_million, one_stride, one_stride(), kAll)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(record_million, two_strides, two_strides(), kAll)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(record_million, half_mask, two_strides(), 0x0000ffffu)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(record_million, scattered, scattered(), kAll)->Unit(benchmark::kMillisecond);

void hash_million(benchmark::State& state) {
  Recorder recorder(Header{});
  recorder.block_begin(0);
  const Lanes lanes = two_strides();
  Access access;
  access.addresses = lanes.data();
  access.at.active = kAll;
  for (uint32_t i = 0; i < 1'000'000; ++i) recorder.access(access);
  const Trace trace = recorder.take();
  for (auto _ : state) benchmark::DoNotOptimize(trace.hash());
}
BENCHMARK(hash_million)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilescope::trace
