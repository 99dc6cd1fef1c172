#include "view/stage/stage_swizzle.h"

#include <algorithm>

namespace tilescope::view {
namespace {
using run::TracedArray;
using Piece = trace::BulkCopy::Piece;

constexpr uint32_t kChunkBytes = 16;

/// Adds the elements of [address, address + bytes), the first of which is byte `offset` of the box's row.
void add(const run::TracedBlock& traced, Space space, uint64_t address, uint32_t bytes, uint64_t offset,
         std::vector<SwizzledElement>& result) {
  const TracedArray* array = traced.accesses.find(space, address);
  if (!array || array->columns == 0) return;
  const uint32_t size = size_of(array->allocation.element);
  for (uint32_t byte = 0; byte < bytes; byte += size)
    if (array->allocation.contains(address + byte))
      result.push_back({array, array->index_of(address + byte), static_cast<uint32_t>((offset + byte) / kChunkBytes)});
}

}  // namespace

std::vector<SwizzledElement> swizzled_elements(const run::TracedBlock& traced, const analysis::StepRef& at) {
  std::vector<SwizzledElement> result;
  bool swizzled = false;
  for (const trace::BulkRecord* copy : traced.timeline.bulk_copies(at)) {
    uint64_t offset = 0, row = 0;  // In the box's row; where that would begin in shared memory.
    for (const Piece& piece : copy->pieces) {
      if (piece.begins_row) offset = 0;
      swizzled |= offset > 0 && piece.shared != row + offset;
      if (piece.begins_row) row = piece.shared;
      add(traced, Space::Shared, piece.shared, piece.bytes, offset, result);
      if (piece.global != trace::BulkCopy::kNowhere)
        add(traced, Space::Global, piece.global, piece.bytes, offset, result);
      offset += piece.bytes;
    }
  }
  return swizzled ? result : std::vector<SwizzledElement>{};
}

}  // namespace tilescope::view
