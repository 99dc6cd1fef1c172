#pragma once

#include <cstdint>
#include <string>

#include "base/memory.h"

namespace tilescope::session {

/// A thing that can be pointed at, in any view. Fields that a kind does not use keep their defaults.
struct Target {
  enum class Kind : uint8_t {
    None,
    Element,     ///< `array` and `index`: the element's row-major number in the allocated array; `space` says which.
    Lane,        ///< `warp` and `index`: the lane.
    Warp,        ///< `warp`
    Block,       ///< `index`: linear number in the grid.
    Step,        ///< `warp` and `index`: the warp's step.
    SourceLine,  ///< `index`: CUDA line, from 1. `array`: the name in it that is pointed at; may be empty.
    PtxLine,     ///< `index`: line of the PTX text, from 1. `array`: as of a SourceLine.
    Sector,      ///< `index`: device address of its first byte.
    Bank,        ///< `index`
    Parameter,   ///< `array`: the name of the slider.
    Word,        ///< `array`: a word that the window explains, in English, or a name of the PTX.
  };
  Kind kind = Kind::None;
  Space space = Space::None;
  std::string array;
  uint64_t index = 0;
  uint32_t warp = 0;
  bool operator==(const Target&) const = default;
  explicit operator bool() const { return kind != Kind::None; }
};

}  // namespace tilescope::session
