#pragma once

#include "run/traced_block.h"
#include "session/target.h"

namespace tilescope::view {

/// Bytes [begin, end) of a space.
struct ByteRange {
  Space space = Space::None;
  uint64_t begin = 0, end = 0;
  bool overlaps(Space in, uint64_t address, uint64_t bytes) const {
    return in == space && address < end && begin < address + bytes;
  }
};

/// The bytes of a target's element; nullopt for other targets and for arrays that the block does not have.
ByteRange bytes_of_element(const run::TracedBlock& traced, const session::Target& target);

}  // namespace tilescope::view
