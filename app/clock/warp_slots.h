#pragma once

#include <cstdint>

namespace tilescope::clock {

/// Which of its block's slots a warp takes, from 0; slot % 4 is its scheduler. The warps of blocks follow one another
/// from scheduler to scheduler, and blocks of 4, 8... warps begin at the next one each time: `turn` is how many blocks
/// the SM has started before. Measured on an H200 with tests/hardware/schedulers.cu.
constexpr uint32_t slot_of_warp(uint32_t warp, uint32_t warps_per_block, uint64_t turn) {
  return warps_per_block % 4 != 0 ? warp : warp / 4 * 4 + static_cast<uint32_t>((warp + turn) % 4);
}
/// And which warp has that slot.
constexpr uint32_t warp_in_slot(uint32_t slot, uint32_t warps_per_block, uint64_t turn) {
  return slot_of_warp(slot, warps_per_block, 4 - turn % 4);
}

}  // namespace tilescope::clock
