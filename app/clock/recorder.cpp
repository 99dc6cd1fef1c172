#include "clock/recorder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "arch/arch.h"

namespace tilescope::clock {
namespace {

/// A launch that waits longer than this is recorded up to here.
constexpr int64_t kMostClocks = std::numeric_limits<int32_t>::max() / 2;

int32_t short_clock(int64_t clock) { return static_cast<int32_t>(std::clamp<int64_t>(clock, 0, kMostClocks)); }

void add(std::vector<Recording::Stretch>& row, int32_t begin, uint32_t pc, uint8_t state) {
  if (!row.empty() && row.back().begin == begin) row.pop_back();
  const bool issues = state == Recording::kIssues;
  if (!row.empty() && !issues && row.back().state == state && row.back().pc == pc) return;
  row.push_back({begin, static_cast<uint16_t>(pc), state});
}

/// Adds to the buckets that this part of a unit is busy from `begin` for that many clocks.
void fill(std::vector<float>& buckets, double begin, double clocks, double part = 1) {
  constexpr double kWide = Recording::kBucket;
  for (double at = std::max(0.0, begin), end = at + clocks; at < end;) {
    const auto bucket = static_cast<size_t>(at / kWide);
    const double until = std::min(end, static_cast<double>(bucket + 1) * kWide);
    if (bucket >= buckets.size()) buckets.resize(bucket + 1);
    buckets[bucket] += static_cast<float>(part * (until - at) / kWide);
    at = until;
  }
}

}  // namespace

void Recorder::on_state(uint32_t slot, Stall state, int64_t begin, int64_t end, uint32_t pc) {
  if (made_.slots.size() <= slot) made_.slots.resize(slot + 1, {{0, 0, Recording::kAbsent}});
  std::vector<Recording::Stretch>& row = made_.slots[slot];
  add(row, short_clock(begin), pc, static_cast<uint8_t>(state));
  row.push_back({short_clock(end), 0, Recording::kAbsent});
}

void Recorder::on_arrival(int64_t issued, int64_t clock, uint32_t slot, uint32_t pc) {
  made_.arrivals.push_back(
      {short_clock(issued), short_clock(clock), static_cast<uint16_t>(slot), static_cast<uint16_t>(pc)});
}

void Recorder::on_block(int64_t clock, uint32_t first_slot, uint64_t block, bool starts) {
  if (starts) return made_.residents.push_back({short_clock(clock), -1, first_slot, block});
  for (Recording::Resident& resident : made_.residents)
    if (resident.first_slot == first_slot && resident.end < 0) resident.end = short_clock(clock);
}

void Recorder::on_busy(SmUnit unit, double begin, double clocks) {
  switch (unit) {
    case SmUnit::DataPath: return fill(made_.path, begin, clocks);
    case SmUnit::L2: return fill(made_.l2, begin, clocks);
    case SmUnit::TensorCores: return fill(made_.tensor_cores, begin, clocks, 1.0 / arch::kSchedulers);
  }
}

Recording Recorder::take(const SmRun& run, uint32_t warps_per_block) {
  made_.clocks = short_clock(run.clocks);
  made_.warps_per_block = warps_per_block;
  for (std::vector<Recording::Stretch>& row : made_.slots) add(row, made_.clocks, 0, Recording::kAbsent);
  for (Recording::Resident& resident : made_.residents)
    if (resident.end < 0) resident.end = made_.clocks;
  return std::exchange(made_, {});
}

size_t Recording::stretch_at(uint32_t slot, int32_t clock) const {
  const std::vector<Stretch>& row = slots[slot];
  const auto after = std::upper_bound(row.begin(), row.end(), clock,
                                      [](int32_t at, const Stretch& stretch) { return at < stretch.begin; });
  return static_cast<size_t>(std::max<std::ptrdiff_t>(after - row.begin() - 1, 0));
}

const Recording::Resident* Recording::resident_at(uint32_t slot, int32_t clock) const {
  const uint32_t first = slot / warps_per_block * warps_per_block;
  for (const Resident& resident : residents)
    if (resident.first_slot == first && resident.begin <= clock && clock < resident.end) return &resident;
  return nullptr;
}

}  // namespace tilescope::clock
