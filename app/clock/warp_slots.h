#pragma once

#include <cstdint>

namespace tilescope::clock {

/// The slots of an SM are its places for blocks, one after another; slot % 4 is a warp's scheduler. The warps of blocks
/// follow one another from scheduler to scheduler, and blocks of 4, 8... warps begin at the next one each time. Measured
/// on an H200 with tests/hardware/schedulers.cu, for the first block of each place; for later ones it is assumed.
constexpr uint32_t slot_of_warp(uint32_t place, uint32_t warp, uint32_t warps_per_block) {
  const uint32_t first = place * warps_per_block;
  return warps_per_block % 4 != 0 ? first + warp : first + warp / 4 * 4 + (warp + place) % 4;
}
/// Which warp of its block is in a slot.
constexpr uint32_t warp_in_slot(uint32_t slot, uint32_t warps_per_block) {
  const uint32_t place = slot / warps_per_block, warp = slot % warps_per_block;
  return warps_per_block % 4 != 0 ? warp : warp / 4 * 4 + (warp + 3 * place) % 4;
}

}  // namespace tilescope::clock
