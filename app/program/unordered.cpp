#include "program/unordered.h"

#include <utility>

namespace tilescope::program {
namespace {

/// A program that never waits: what is long ago is no longer compared.
constexpr size_t kMostPending = 1000;

bool is_before(const Operation& operation, const std::vector<uint64_t>& ended) {
  return operation.stream < ended.size() && operation.number <= ended[operation.stream];
}

std::optional<UnorderedPair> conflict_of(const Operation& earlier, const Operation& later) {
  const analysis::AccessedRanges &a = *earlier.accessed, &b = *later.accessed;
  // They may tell each other by these when they are done.
  if (analysis::common_bytes(a.strong, b.strong)) return std::nullopt;
  const auto pair = [&](const auto& one, bool earlier_writes, const auto& other,
                        bool later_writes) -> std::optional<UnorderedPair> {
    const std::optional<analysis::ByteRange> bytes = analysis::common_bytes(one, other);
    if (!bytes) return std::nullopt;
    return UnorderedPair{earlier, earlier_writes, later_writes, *bytes};
  };
  if (auto found = pair(a.written, true, b.read, false)) return found;
  if (auto found = pair(a.strong, true, b.read, false)) return found;
  if (auto found = pair(a.read, false, b.written, true)) return found;
  if (auto found = pair(a.read, false, b.strong, true)) return found;
  if (earlier.same == later.same) return std::nullopt;
  if (auto found = pair(a.written, true, b.written, true)) return found;
  if (auto found = pair(a.strong, true, b.written, true)) return found;
  return pair(a.written, true, b.strong, true);
}

}  // namespace

std::optional<UnorderedPair> Unordered::add(Operation operation) {
  if (!operation.accessed) return std::nullopt;
  std::optional<UnorderedPair> found;
  for (auto at = pending_.rbegin(); at != pending_.rend() && !found; ++at)
    if (at->stream != operation.stream && !is_before(*at, operation.before)) found = conflict_of(*at, operation);
  pending_.push_back(std::move(operation));
  if (pending_.size() > kMostPending) pending_.pop_front();
  return found;
}

void Unordered::waited(const std::vector<uint64_t>& ended) {
  pending_.remove_if([&](const Operation& operation) { return is_before(operation, ended); });
}

}  // namespace tilescope::program
