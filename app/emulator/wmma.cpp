// wmma.load and wmma.store: a warp moves a matrix between memory and its registers, each lane its own elements. The
// number of accesses is not documented: here each lane's contiguous elements are one.

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/block.h"
#include "emulator/scalar.h"
#include "ptx/opcode_table.h"

namespace tilescope::emulator {
namespace {

using trace::AccessKind;
using trace::kLanes;

constexpr uint32_t kMostFragmentBytes = 32;

/// The fragments of all lanes, each in the order of its registers.
struct Fragments {
  std::byte bytes[kLanes][kMostFragmentBytes] = {};
};

/// The matrix in memory: rows, or with .col columns, that are `stride` elements apart.
class MatrixInMemory {
 public:
  MatrixInMemory(const Warp& warp, const DecodedInstruction& in)
      : warp_(warp), in_(in), by_columns_(in.text->column_major) {
    lane_addresses(warp, in, bases_);
    const ptx::MatrixShape& shape = in.text->shape;
    const ptx::SlotKind matrix = ptx::matrix_moved(in.text->op);
    const uint32_t rows = matrix == ptx::SlotKind::Fb ? shape.k : shape.m;
    const uint32_t columns = matrix == ptx::SlotKind::Fa ? shape.k : shape.n;
    const ptx::FragmentPlaces& places = *in.fragments;
    const std::vector<ptx::FragmentPlace>& all = matrix == ptx::SlotKind::Fa   ? places.a
                                                 : matrix == ptx::SlotKind::Fb ? places.b
                                                                               : places.c;
    places_ = all.data();
    of_lane_ = static_cast<uint32_t>(all.size() / kLanes);
    distinct_ = rows * columns / kLanes;
    line_length_ = by_columns_ ? rows : columns;
  }

  /// Elements of a lane, and how many of them are distinct.
  uint32_t of_lane() const { return of_lane_; }
  uint32_t distinct() const { return distinct_; }

  /// How many of a lane's elements from `index` on are contiguous: 1, 2 or 4, the same for every lane.
  uint32_t run_from(uint32_t index) const {
    const Spot first = spot(0, index);
    uint32_t length = 1;
    while (index + length < distinct_ && spot(0, index + length).line == first.line &&
           spot(0, index + length).along == first.along + length)
      ++length;
    return std::bit_floor(length);
  }

  uint64_t address(uint32_t lane, uint32_t index) const {
    const Spot at = spot(lane, index);
    const bool has_stride = in_.text->operands.size() > 2;
    const uint64_t stride = has_stride ? read_lane(warp_.file + in_.source[1], 4, lane) : line_length_;
    return bases_[lane] + (at.line * stride + at.along) * in_.size;
  }

 private:
  struct Spot {
    uint32_t line, along;
  };
  Spot spot(uint32_t lane, uint32_t index) const {
    const ptx::FragmentPlace& place = places_[lane * of_lane_ + index];
    return by_columns_ ? Spot{place.column, place.row} : Spot{place.row, place.column};
  }

  const Warp& warp_;
  const DecodedInstruction& in_;
  bool by_columns_;
  uint64_t bases_[kLanes];
  const ptx::FragmentPlace* places_ = nullptr;
  uint32_t of_lane_ = 0, distinct_ = 0, line_length_ = 0;
};

/// Moves `bytes` bytes of each lane between memory and its fragment, from `offset` on.
void move_run(Warp& warp, const DecodedInstruction& in, uint32_t mask, LanePlaces& lanes, uint32_t offset,
              uint32_t bytes, Fragments& fragments) {
  DecodedInstruction access = in;
  access.size = static_cast<uint8_t>(bytes);
  access.vector = 1;
  place_lanes(warp, access, bytes, mask, lanes);
  const bool loads = in.access == AccessKind::Load;
  if (warp.observer) {
    uint8_t values[kLanes][16];
    for (uint32_t l = 0; l < kLanes; ++l) std::memcpy(values[l], fragments.bytes[l] + offset, bytes);
    publish_each_space(warp, access, lanes, loads ? nullptr : values);
  }
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!lanes.host[l]) continue;  // A faulting lane loads zeros.
    if (loads)
      std::memcpy(fragments.bytes[l] + offset, lanes.host[l], bytes);
    else
      std::memcpy(lanes.host[l], fragments.bytes[l] + offset, bytes);
  }
}

/// Copies the elements that a fragment holds several times.
void repeat_elements(Fragments& fragments, uint32_t distinct_bytes, uint32_t all_bytes) {
  for (auto& lane : fragments.bytes)
    for (uint32_t at = distinct_bytes; at < all_bytes; at += distinct_bytes)
      std::memcpy(lane + at, lane, distinct_bytes);
}

void move_registers(Warp& warp, const DecodedInstruction& in, uint32_t mask, Fragments& fragments, uint32_t bytes) {
  const bool loads = in.access == AccessKind::Load;
  const uint32_t width = std::max<uint32_t>(in.size, 4);
  for (uint32_t r = 0; r < bytes / width; ++r)
    for (uint32_t m = mask; m; m &= m - 1) {
      const auto l = static_cast<uint32_t>(std::countr_zero(m));
      std::byte* value = warp.file + (loads ? in.rows[r] : in.source_rows[r]) + width * l;
      std::byte* kept = fragments.bytes[l] + width * r;
      std::memcpy(loads ? value : kept, loads ? kept : value, width);
    }
}

}  // namespace

void move_fragment(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  const MatrixInMemory matrix(warp, in);
  const uint32_t bytes = matrix.of_lane() * in.size;
  const bool loads = in.access == AccessKind::Load;
  Fragments fragments;
  if (!loads) move_registers(warp, in, mask, fragments, bytes);
  for (uint32_t index = 0, length = 0; index < matrix.distinct(); index += length) {
    length = matrix.run_from(index);
    LanePlaces lanes;
    for (uint32_t l = 0; l < kLanes; ++l) lanes.address[l] = matrix.address(l, index);
    move_run(warp, in, mask, lanes, index * in.size, length * in.size, fragments);
  }
  if (!loads) return;
  repeat_elements(fragments, matrix.distinct() * in.size, bytes);
  move_registers(warp, in, mask, fragments, bytes);
}

}  // namespace tilescope::emulator
