#include "view/tooltip/element_uses.h"

#include <algorithm>
#include <bit>

#include "view/access_words.h"
#include "view/tooltip/tooltip_parts.h"

namespace tilescope::view {
namespace {

/// Lanes of an access whose bytes overlap [begin, end).
uint32_t lanes_within(const trace::Trace& trace, size_t record, uint64_t begin, uint64_t end) {
  if (!trace.may_meet(record, begin, end)) return 0;
  uint64_t addresses[trace::kLanes];
  trace.addresses(record, addresses);
  // One comparison a lane: modulo 2^64, an access that begins before `first` is far above it.
  const uint64_t first = begin - trace.bytes(record) + 1, length = end - first;
  uint32_t lanes = 0;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
    lanes |= static_cast<uint32_t>(addresses[lane] - first < length) << lane;
  return lanes & trace.active(record);
}

void note_access(ElementUse& use, const trace::Trace& trace, size_t record, uint32_t lanes) {
  const trace::AccessKind kind = trace.access_kind(record);
  const auto count = static_cast<uint64_t>(std::popcount(lanes));
  if (!trace::is_write(kind) || trace::is_atomic(kind)) {
    ++use.reads;
    use.reading_lanes += count;
  }
  if (!trace::is_write(kind)) return;
  ++use.writes;
  use.writing_lanes += count;
  const trace::Step step = trace.step(record);
  use.stores.push_back({{step.warp, step.warp_step}, static_cast<uint32_t>(31 - std::countl_zero(lanes)), nullptr});
}

}  // namespace

const ElementUse& ElementUses::of(const run::TracedBlock& traced, const session::Target& element) {
  const uint64_t hash = traced.report.trace ? traced.report.trace->hash : 0;
  if (traced_ != &traced || trace_hash_ != hash || element_ != element) {
    *this = {};
    traced_ = &traced;
    trace_hash_ = hash;
    element_ = element;
    complete_ = false;
  }
  if (!complete_) scan(traced);
  return use_;
}

void ElementUses::add_copies(const run::TracedBlock& traced, uint64_t begin, uint64_t end) {
  const bool shared = element_.space == Space::Shared;
  const auto meets = [&](uint64_t from, uint64_t bytes) { return from < end && begin < from + bytes; };
  for (const trace::BulkRecord& copy : traced.trace.bulk_copies()) {
    const bool here = std::ranges::any_of(copy.pieces, [&](const trace::BulkCopy::Piece& piece) {
      return shared ? meets(piece.shared, piece.bytes)
                    : piece.global != trace::BulkCopy::kNowhere && meets(piece.global, piece.bytes);
    });
    if (!here) continue;
    if (copy.to_shared != shared) {
      ++use_.bulk_reads;
      continue;
    }
    ++use_.bulk_writes;
    use_.stores.push_back({{copy.at.warp, copy.at.warp_step}, lowest(copy.at.active), &copy});
  }
  if (!shared) return;
  for (const trace::ProductRecord& product : traced.trace.product_reads())
    use_.product_reads += std::ranges::any_of(
        product.pieces, [&](const trace::ProductRead::Piece& piece) { return meets(piece.shared, piece.bytes); });
}

void ElementUses::scan(const run::TracedBlock& traced) {
  const run::TracedArray* array = array_of(traced, element_);
  const size_t size = array ? traced.trace.size() : 0;
  const size_t stop = std::min(size, scanned_ + kRecordsACall);
  for (; scanned_ < stop; ++scanned_) {
    const trace::Trace& trace = traced.trace;
    if (trace.kind(scanned_) != trace::RecordKind::Access || trace.space(scanned_) != element_.space) continue;
    const uint64_t begin = array->address_of(element_.index), end = begin + size_of(array->allocation.element);
    if (const uint32_t lanes = lanes_within(trace, scanned_, begin, end)) note_access(use_, trace, scanned_, lanes);
  }
  complete_ = scanned_ == size;
  if (!complete_) return;
  if (array) {
    const uint64_t begin = array->address_of(element_.index);
    add_copies(traced, begin, begin + size_of(array->allocation.element));
  }
  std::stable_sort(use_.stores.begin(), use_.stores.end(), [&](const ElementUse::Write& a, const ElementUse::Write& b) {
    return traced.timeline.slot(a.at) < traced.timeline.slot(b.at);
  });
}

}  // namespace tilescope::view
