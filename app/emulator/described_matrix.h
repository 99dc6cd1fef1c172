#pragma once

#include <cstdint>

#include "base/message.h"
#include "base/tensor_map.h"

namespace tilescope::emulator {

/// A matrix in shared memory, laid out as its descriptor says (PTX ISA, "Matrix Descriptor Format" and "Canonical
/// layouts"): the line is a row of A or a column of B; `transposed`: lines are contiguous instead of k.
class DescribedMatrix {
 public:
  DescribedMatrix(uint64_t descriptor, uint32_t element_bytes, bool transposed)
      : start_((descriptor & 0x3fff) << 4),
        leading_((descriptor >> 16 & 0x3fff) << 4),
        stride_((descriptor >> 32 & 0x3fff) << 4),
        base_offset_(descriptor >> 49 & 7),
        element_bytes_(element_bytes),
        transposed_(transposed) {
    constexpr Swizzle kModes[] = {Swizzle::None, Swizzle::Span128, Swizzle::Span64, Swizzle::Span32};
    swizzle_ = kModes[descriptor >> 62];
  }

  /// Shared address of the element at this place.
  uint64_t address(uint32_t line, uint32_t k) const {
    const uint32_t side_by_side = transposed_ ? line : k, other = transposed_ ? k : line;
    const uint64_t span = swizzle_ == Swizzle::None ? kPieceBytes16 : span_of(swizzle_);
    const uint64_t byte = uint64_t{side_by_side} * element_bytes_;
    // Without a swizzle the two offsets swap when the matrix is transposed; with one, an untransposed matrix has no
    // second span of k.
    const bool plain = swizzle_ == Swizzle::None;
    const uint64_t to_span = plain && transposed_ ? stride_ : leading_,
                   to_rows = plain && transposed_ ? leading_ : stride_;
    const uint64_t at =
        start_ + byte / span * to_span + other / kRowsOfAtom * to_rows + other % kRowsOfAtom * span + byte % span;
    return swizzled(swizzle_, at);
  }

  bool transposed() const { return transposed_; }

  Message problem() const {
    if (base_offset_ != 0) return Message("a base offset of {}, which is not executed", base_offset_);
    if (start_ % kPieceBytes16 != 0) return Message("the start address {} is no multiple of 16", start_);
    if (transposed_ && element_bytes_ != 2) return Message("matrices of 32-bit elements cannot be transposed");
    return {};
  }

 private:
  static constexpr uint32_t kPieceBytes16 = 16;  ///< Contiguous in shared memory without a swizzle.
  static constexpr uint32_t kRowsOfAtom = 8;

  uint64_t start_, leading_, stride_, base_offset_;
  uint32_t element_bytes_;
  bool transposed_;
  Swizzle swizzle_ = Swizzle::None;
};

}  // namespace tilescope::emulator
