#include "analysis/accessed_bytes.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilescope::analysis {
namespace {

constexpr size_t kMostRanges = size_t{1} << 20;

/// The bytes set of an array, as ranges behind those in the list; false if there are too many.
bool add_ranges(const Allocation& array, const WrittenBytes& bytes, std::vector<ByteRange>& ranges) {
  const uint64_t end = bytes.end();
  for (uint64_t at = 0; at < end;) {
    at += bytes.unwritten_from(at, end - at);
    const uint64_t count = bytes.written_from(at, end - at);
    if (count > 0) ranges.push_back({array.base + at, count});
    if (ranges.size() > kMostRanges) return false;
    at += count;
  }
  return true;
}

}  // namespace

void put_in_order(std::vector<ByteRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const ByteRange& a, const ByteRange& b) { return a.address < b.address; });
  std::vector<ByteRange> joined;
  for (const ByteRange& range : ranges) {
    if (joined.empty() || joined.back().address + joined.back().bytes < range.address)
      joined.push_back(range);
    else
      joined.back().bytes = std::max(joined.back().bytes, range.address + range.bytes - joined.back().address);
  }
  ranges = std::move(joined);
}

std::optional<ByteRange> common_bytes(const std::vector<ByteRange>& one, const std::vector<ByteRange>& other) {
  for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end();) {
    const uint64_t first = std::max(a->address, b->address);
    const uint64_t end = std::min(a->address + a->bytes, b->address + b->bytes);
    if (first < end) return ByteRange{first, end - first};
    if (a->address + a->bytes < b->address + b->bytes)
      ++a;
    else
      ++b;
  }
  return std::nullopt;
}

size_t AccessedBytes::find(uint64_t address) {
  if (last_ < arrays_->size() && (*arrays_)[last_].contains(address)) return last_;
  const auto array =
      std::find_if(arrays_->begin(), arrays_->end(), [&](const Allocation& a) { return a.contains(address); });
  const auto index = static_cast<size_t>(array - arrays_->begin());
  if (index < arrays_->size()) last_ = index;
  return index;
}

void AccessedBytes::add(uint64_t first, uint64_t end, WrittenBytes OfArray::*which) {
  if (first >= end) return;
  if (const size_t array = find(first); array < arrays_->size())
    (of_[array].*which).set_range(first - (*arrays_)[array].base, end - first);
}

void AccessedBytes::access(const trace::Access& access) {
  if (access.space != Space::Global && access.space != Space::Const) return;
  const auto which = trace::is_atomic(access.kind) || access.is_volatile ? &OfArray::strong
                     : trace::is_write(access.kind)                      ? &OfArray::written
                                                                         : &OfArray::read;
  // Most lanes access what is behind the last one's, or the same.
  uint64_t first = 0, end = 0;
  for (uint32_t rest = access.at.active; rest; rest &= rest - 1) {
    const uint64_t address = access.addresses[std::countr_zero(rest)];
    if (address + access.bytes == end) continue;
    if (address != end) {
      add(first, end, which);
      first = address;
    }
    end = address + access.bytes;
  }
  add(first, end, which);
}

void AccessedBytes::bulk_copy(const trace::BulkCopy& copy) {
  for (const trace::BulkCopy::Piece& piece : *copy.pieces)
    if (piece.global != trace::BulkCopy::kNowhere)
      add(piece.global, piece.global + piece.bytes, copy.to_shared ? &OfArray::read : &OfArray::written);
}

void AccessedBytes::merge(const AccessedBytes& other) {
  for (size_t i = 0; i < of_.size(); ++i) {
    of_[i].read.add(other.of_[i].read);
    of_[i].written.add(other.of_[i].written);
    of_[i].strong.add(other.of_[i].strong);
  }
}

std::optional<AccessedRanges> AccessedBytes::ranges() const {
  std::vector<size_t> ascending(arrays_->size());
  for (size_t i = 0; i < ascending.size(); ++i) ascending[i] = i;
  std::sort(ascending.begin(), ascending.end(),
            [&](size_t a, size_t b) { return (*arrays_)[a].base < (*arrays_)[b].base; });
  AccessedRanges all;
  for (const size_t i : ascending) {
    const Allocation& array = (*arrays_)[i];
    if (!add_ranges(array, of_[i].read, all.read) || !add_ranges(array, of_[i].written, all.written) ||
        !add_ranges(array, of_[i].strong, all.strong))
      return std::nullopt;
  }
  return all;
}

}  // namespace tilescope::analysis
