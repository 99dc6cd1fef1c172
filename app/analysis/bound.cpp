#include "analysis/bound.h"

#include "base/words.h"

namespace tilescope::analysis {
namespace {

using arch::Device;
using arch::Figure;

struct Needed {
  std::string_view name;
  const std::optional<Figure>& figure;
};

// "the L2 bandwidth of T4 is not known" for the first figure that is absent; empty when all are there.
template <size_t n>
std::string missing(const Device& device, const Needed (&needed)[n]) {
  for (const Needed& need : needed)
    if (!need.figure) return tr_format("the {} of {} is not known", tr(need.name), device.name);
  return {};
}

ResourceTime fma_time(const Device& d, const Work& work) {
  const Needed needed[] = {
      {tr_later("number of SMs"), d.sms}, {tr_later("clock"), d.clock_hz}, {tr_later("FMA rate"), d.fma_lanes_per_sm}};
  if (std::string gap = missing(d, needed); !gap.empty()) return {std::nullopt, std::move(gap)};
  const double rate = d.sms->value * d.fma_lanes_per_sm->value * d.clock_hz->value;
  return {static_cast<double>(work.fmas) / rate,
          tr_format("{} FMAs / ({} SMs * {} lanes * {} GHz)", work.fmas, d.sms->value, d.fma_lanes_per_sm->value,
                    d.clock_hz->value / 1e9)};
}

ResourceTime shared_time(const Device& d, const Work& work) {
  const Needed needed[] = {{tr_later("number of SMs"), d.sms},
                           {tr_later("clock"), d.clock_hz},
                           {tr_later("shared-memory bandwidth"), d.shared_bytes_per_clock}};
  if (std::string gap = missing(d, needed); !gap.empty()) return {std::nullopt, std::move(gap)};
  constexpr double kWavefrontBytes = arch::kSharedBanks * arch::kBankBytes;
  const double rate = d.sms->value * d.shared_bytes_per_clock->value / kWavefrontBytes * d.clock_hz->value;
  return {static_cast<double>(work.shared_wavefronts) / rate,
          tr_format("{} wavefronts / ({} SMs * {} a clock * {} GHz)", work.shared_wavefronts, d.sms->value,
                    d.shared_bytes_per_clock->value / kWavefrontBytes, d.clock_hz->value / 1e9)};
}

ResourceTime l1_time(const Device& d, const Work& work) {
  const Needed needed[] = {{tr_later("number of SMs"), d.sms},
                           {tr_later("clock"), d.clock_hz},
                           {tr_later("L1 bandwidth"), d.l1_bytes_per_clock}};
  if (std::string gap = missing(d, needed); !gap.empty()) return {std::nullopt, std::move(gap)};
  const double clocks_a_second = d.sms->value * d.clock_hz->value;
  const double sectors_a_clock = d.l1_bytes_per_clock->value / arch::kSectorBytes;
  const double by_sectors = static_cast<double>(work.l1_sectors) / sectors_a_clock;
  const double by_requests = static_cast<double>(work.l1_requests);
  if (by_requests > by_sectors)
    return {by_requests / clocks_a_second, tr_format("{} requests / ({} SMs * 1 a clock * {} GHz)", work.l1_requests,
                                                     d.sms->value, d.clock_hz->value / 1e9)};
  return {by_sectors / clocks_a_second, tr_format("{} sectors / ({} SMs * {} a clock * {} GHz)", work.l1_sectors,
                                                  d.sms->value, sectors_a_clock, d.clock_hz->value / 1e9)};
}

ResourceTime l2_time(const Device& d, const Work& work) {
  const Needed needed[] = {{tr_later("L2 bandwidth"), d.l2_bytes_per_s}};
  if (std::string gap = missing(d, needed); !gap.empty()) return {std::nullopt, std::move(gap)};
  return {
      static_cast<double>(work.l2_sectors) * arch::kSectorBytes / d.l2_bytes_per_s->value,
      tr_format("{} sectors * {} bytes / {} GB/s", work.l2_sectors, arch::kSectorBytes, d.l2_bytes_per_s->value / 1e9)};
}

ResourceTime dram_time(const Device& d, const Work& work) {
  const Needed needed[] = {{tr_later("DRAM bandwidth"), d.dram_bytes_per_s}};
  if (std::string gap = missing(d, needed); !gap.empty()) return {std::nullopt, std::move(gap)};
  return {static_cast<double>(work.dram_bytes) / d.dram_bytes_per_s->value,
          tr_format("{} bytes / {} GB/s", work.dram_bytes, d.dram_bytes_per_s->value / 1e9)};
}

}  // namespace

std::string_view to_string(Resource resource) {
  constexpr std::array<std::string_view, kResources> names{tr_later("FMA issue"), tr_later("shared memory"), "L1", "L2",
                                                           "DRAM"};
  return names[static_cast<size_t>(resource)];
}

Bound bound(const arch::Device& device, const Work& work) {
  Bound result;
  result.times = {fma_time(device, work), shared_time(device, work), l1_time(device, work), l2_time(device, work),
                  dram_time(device, work)};
  for (size_t i = 0; i < kResources; ++i) {
    const double seconds = result.times[i].seconds.value_or(0);
    if (seconds <= result.seconds) continue;
    result.seconds = seconds;
    result.limiting = static_cast<Resource>(i);
  }
  const double flops = work.flops > 0 ? work.flops : 2.0 * static_cast<double>(work.fmas);
  if (result.seconds > 0) result.gflops = flops / result.seconds / 1e9;
  return result;
}

}  // namespace tilescope::analysis
