#pragma once

#include <vector>

#include "run/traced_block.h"
#include "view/picture.h"

namespace tilescope::view {

/// An element of a box that TMA swizzles, on either side, with its 16-byte piece.
struct SwizzledElement {
  const run::TracedArray* array = nullptr;
  uint64_t index = 0;
  uint32_t chunk = 0;  ///< Which 16 bytes of the box's row, from 0, where they are in order: in global memory.
};
/// As its banks at its place in a row of 128 bytes.
inline Colour chunk_colour(uint32_t chunk) { return bank_colour(chunk * 4); }
/// Of the bulk copies at `at`; empty if they do not change the order of bytes within a row.
std::vector<SwizzledElement> swizzled_elements(const run::TracedBlock& traced, const analysis::StepRef& at);

}  // namespace tilescope::view
