#include "analysis/bound.h"

#include "base/words.h"

namespace tilescope::analysis {
namespace {

using arch::Device;
using arch::Figure;

struct Needed {
  Rate rate;
  const std::optional<Figure>& figure;
};

/// A time without seconds for the first missing figure; nullopt if all are there.
template <size_t n>
std::optional<ResourceTime> missing(const Needed (&needed)[n]) {
  for (const Needed& need : needed)
    if (!need.figure) return ResourceTime{.missing = need.rate};
  return std::nullopt;
}

ResourceTime on_sms(const Device& d, uint64_t amount, double per_clock) {
  ResourceTime time{.amount = amount, .sms = d.sms->value, .per_clock = per_clock, .clock_hz = d.clock_hz->value};
  time.seconds = static_cast<double>(amount) / (time.sms * time.per_clock * time.clock_hz);
  return time;
}

ResourceTime fma_time(const Device& d, const Work& work) {
  if (const auto gap = missing({{Rate::Sms, d.sms}, {Rate::Clock, d.clock_hz}, {Rate::Fma, d.fma_lanes_per_sm}}))
    return *gap;
  return on_sms(d, work.fmas, d.fma_lanes_per_sm->value);
}

ResourceTime tensor_time(const Device& d, const Work& work) {
  ResourceTime time{.seconds = 0, .of_type = work.tensor_fmas};
  for (size_t i = 0; i < arch::kTensorTypes; ++i) {
    if (work.tensor_fmas[i] == 0) continue;
    if (const auto gap =
            missing({{Rate::Sms, d.sms}, {Rate::Clock, d.clock_hz}, {Rate::Tensor, d.tensor_fmas_per_sm[i]}}))
      return *gap;
    const ResourceTime of_type = on_sms(d, work.tensor_fmas[i], d.tensor_fmas_per_sm[i]->value);
    time.type_per_clock[i] = of_type.per_clock;
    time.sms = of_type.sms;
    time.clock_hz = of_type.clock_hz;
    time.amount += of_type.amount;
    *time.seconds += *of_type.seconds;
  }
  return time;
}

ResourceTime l1_and_shared_time(const Device& d, const Work& work) {
  if (const auto gap =
          missing({{Rate::Sms, d.sms}, {Rate::Clock, d.clock_hz}, {Rate::SharedMemory, d.shared_bytes_per_clock}}))
    return *gap;
  constexpr double kWavefrontBytes = arch::kBanks * arch::kBankBytes;
  constexpr double kTagsPerClock = 4;
  const ResourceTime shared = on_sms(d, work.shared_wavefronts, d.shared_bytes_per_clock->value / kWavefrontBytes);
  ResourceTime path = on_sms(d, work.l1_wavefronts, 1), tags = on_sms(d, work.l1_lines, kTagsPerClock);
  tags.of_tags = true;
  for (ResourceTime* time : {&path, &tags}) {
    time->shared_amount = shared.amount;
    time->shared_per_clock = shared.per_clock;
    time->l1_seconds = *time->seconds;
    time->shared_seconds = *shared.seconds;
  }
  path.seconds = path.l1_seconds + path.shared_seconds;
  return *tags.seconds > *path.seconds ? tags : path;
}

ResourceTime l2_time(const Device& d, const Work& work) {
  if (!d.l2_bytes_per_s) return {.missing = Rate::L2};
  const double rate = d.l2_bytes_per_s->value;
  return {.seconds = static_cast<double>(work.l2_sectors) * arch::kSectorBytes / rate,
          .amount = work.l2_sectors,
          .bytes_per_s = rate};
}

ResourceTime dram_time(const Device& d, const Work& work) {
  if (!d.dram_bytes_per_s) return {.missing = Rate::Dram};
  const double rate = d.dram_bytes_per_s->value;
  return {.seconds = static_cast<double>(work.dram_bytes) / rate, .amount = work.dram_bytes, .bytes_per_s = rate};
}

}  // namespace

std::string_view to_string(Resource resource) {
  constexpr std::array<std::string_view, kResources> names{tr_later("FMA issue"), tr_later("tensor cores"),
                                                           tr_later("L1 and shared memory"), "L2", "DRAM"};
  return names[static_cast<size_t>(resource)];
}

Bound bound(const arch::Device& device, const Work& work) {
  Bound result;
  result.device = device.name;
  result.times = {fma_time(device, work), tensor_time(device, work), l1_and_shared_time(device, work),
                  l2_time(device, work), dram_time(device, work)};
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
