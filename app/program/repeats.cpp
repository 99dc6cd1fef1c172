#include "program/repeats.h"

#include <algorithm>
#include <iterator>

namespace tilescope::program {
namespace {

/// Least bytes copied per second: a launch that takes less time than copying its writes is run.
constexpr double kCopiedInSecond = 1e9;

}  // namespace

const LaunchRecord* Repeats::again(const std::string& key, DeviceMemory& memory) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  Kept& kept = *found->second;
  const auto is_same = [&](const TouchedArray& array) { return memory.contents(array.base) == array.contents_before; };
  if (!std::all_of(kept.before.begin(), kept.before.end(), is_same)) return nullptr;
  for (const Written& written : kept.after)
    if (memory.contents(written.base) != written.contents)
      memory.restore(written.base, written.bytes, written.contents);
  kept_.splice(kept_.begin(), kept_, found->second);
  return &kept.record;
}

void Repeats::keep(const std::string& key, const LaunchEffect& effect, DeviceMemory& memory) {
  if (++seen_[key] < 2) return;
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    for (const Written& old : known->second->after) take_old_number(old, effect, memory);
    forget(known->second);
  }
  if (!effect.repeatable) return;
  Kept kept{key, effect.touched, {}, 0, effect.record};
  for (const TouchedArray& array : effect.touched) kept.bytes += array.written ? memory.bytes(array.base).size() : 0;
  if (kept.bytes > most_bytes_ || static_cast<double>(kept.bytes) > effect.record.seconds * kCopiedInSecond) return;
  while (bytes_ + kept.bytes > most_bytes_) forget(std::prev(kept_.end()));
  for (const TouchedArray& array : effect.touched) {
    if (!array.written) continue;
    const std::span<const std::byte> bytes = memory.bytes(array.base);
    kept.after.push_back({array.base, {bytes.begin(), bytes.end()}, memory.contents(array.base)});
  }
  kept.record.repeated = true;
  bytes_ += kept.bytes;
  kept_.push_front(std::move(kept));
  by_key_[key] = kept_.begin();
}

void Repeats::take_old_number(const Written& old, const LaunchEffect& effect, DeviceMemory& memory) {
  const auto is_it = [&](const TouchedArray& array) { return array.base == old.base && array.written; };
  if (std::none_of(effect.touched.begin(), effect.touched.end(), is_it)) return;
  const std::span<const std::byte> now = memory.bytes(old.base);
  if (std::equal(now.begin(), now.end(), old.bytes.begin(), old.bytes.end())) memory.renumber(old.base, old.contents);
}

void Repeats::forget(std::list<Kept>::iterator kept) {
  bytes_ -= kept->bytes;
  by_key_.erase(kept->key);
  kept_.erase(kept);
}

}  // namespace tilescope::program
