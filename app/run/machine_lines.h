#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/prepare.h"

namespace tilescope::sass {
struct Instruction;
}

namespace tilescope::run {

/// A machine instruction as text, with ptxas's control bits for the scheduler.
struct MachineLine {
  std::string text;       ///< "FFMA R3, R4.reuse, R5, R3"
  uint32_t offset = 0;    ///< In bytes, from the kernel's start.
  uint32_t ptx_line = 0;  ///< From 1; 0: not known.
  uint32_t stall = 0;     ///< Clocks until the warp's next instruction.
  bool yields = false;    ///< The scheduler should rather go on with another warp.
  std::string waits;      ///< "0,2": scoreboards for which it waits.
  std::optional<uint32_t> when_done;  ///< The scoreboard that is released when its result is there ...
  std::optional<uint32_t> when_read;  ///< ... and when its registers have been read.

  /// "w2 r1": those two.
  std::string sets() const;
};

/// Without the line of its PTX.
MachineLine machine_line(const sass::Instruction& instruction);
/// Of the kernel, in order. Empty where there is no cubin, or where one of its instructions is not known.
std::vector<MachineLine> machine_lines(const Build& build);

}  // namespace tilescope::run
