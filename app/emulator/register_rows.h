#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ptx/control_flow.h"

namespace tilescope::emulator {

/// What a function does with its registers, by number.
struct RegisterUse {
  std::vector<std::vector<int32_t>> reads, writes;  ///< Of each instruction.
  std::vector<bool> is_kept;                        ///< Of each register: its row is its own from beginning to end.
};

/// Bytes of a lane are less; 0 for predicates.
constexpr size_t kLaneSizes = 17;

/// Rows of a register file, numbered from 0 for each size of a lane.
struct SharedRows {
  std::vector<uint32_t> row;                 ///< Of each register.
  std::array<uint32_t, kLaneSizes> count{};  ///< How many rows there are of each size.
};

/// Gives each register a row of its lane size. Registers that no thread needs at the same time share one, so that the
/// file stays small: a compiler's PTX names a new register for each value. What may be read before it is written has
/// its row from the beginning on.
SharedRows share_rows(const ptx::Function& function, const ptx::ControlFlow& flow, const RegisterUse& use,
                      const std::vector<uint8_t>& lane_sizes);

}  // namespace tilescope::emulator
