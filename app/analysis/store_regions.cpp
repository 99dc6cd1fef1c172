#include "analysis/store_regions.h"

#include <algorithm>
#include <bit>

namespace tilescope::analysis {
namespace {

/// To an array without a shape, which is one row of bytes.
void add_bytes(const Allocation& array, uint64_t first, uint64_t last, Region& region) {
  for (const uint64_t address : {first, last})
    if (array.contains(address)) region.add(0, address - array.base);
}

}  // namespace

void Region::add(const Region& other) {
  if (other.empty()) return;
  add(other.row, other.column);
  add(other.row_end - 1, other.column_end - 1);
}

void StoreRegions::block_begin(uint32_t /*block*/) { regions_.assign(arrays_->size(), {}); }

void StoreRegions::block_end(uint32_t block) {
  for (uint32_t array = 0; array < regions_.size(); ++array)
    if (!regions_[array].empty()) found_.push_back({block, array, regions_[array]});
}

void StoreRegions::access(const trace::Access& access) {
  if (access.space != Space::Global || trace::is_write(access.kind) == loads_ || access.at.active == 0) return;
  const uint64_t anchor = access.addresses[std::countr_zero(access.at.active)];
  for (uint32_t rest = access.at.active; rest; rest &= rest - 1) {
    const uint64_t first = access.addresses[std::countr_zero(rest)];
    add(anchor, first, first + access.bytes - 1);
  }
}

void StoreRegions::bulk_copy(const trace::BulkCopy& copy) {
  if (copy.to_shared != loads_) return;
  for (const trace::BulkCopy::Piece& piece : *copy.pieces)
    if (piece.global != trace::BulkCopy::kNowhere) add(piece.global, piece.global, piece.global + piece.bytes - 1);
}

void StoreRegions::add(uint64_t anchor, uint64_t first, uint64_t last) {
  const auto array =
      std::find_if(arrays_->begin(), arrays_->end(), [&](const Allocation& a) { return a.contains(anchor); });
  if (array == arrays_->end()) return;
  const uint64_t columns = array->shape.empty() ? array->bytes : array->shape.back();
  Region& region = regions_[static_cast<size_t>(array - arrays_->begin())];
  if (array->shape.empty() && array->element == Element::Byte) return add_bytes(*array, first, last, region);
  for (const uint64_t address : {first, last}) {
    const uint64_t element = (address - array->base) / size_of(array->element);
    if (array->contains(address)) region.add(element / columns, element % columns);
  }
}

}  // namespace tilescope::analysis
