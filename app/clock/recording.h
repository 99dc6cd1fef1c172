#pragma once

#include <cstdint>
#include <vector>

#include "clock/stall.h"

namespace tilescope::clock {

/// What the warps of a simulated SM did, clock by clock. A slot is a warp's place on the SM; its scheduler is slot % 4.
/// Immutable once made.
struct Recording {
  static constexpr uint8_t kAbsent = static_cast<uint8_t>(kStalls);  ///< No warp is in the slot.
  static constexpr auto kIssues = static_cast<uint8_t>(Stall::Selected);

  /// From `begin` to the next stretch of the slot. One in which the warp issues (Stall::Selected) is a clock long.
  struct Stretch {
    int32_t begin = 0;
    uint16_t pc = 0;          ///< Of the instruction that it issues, or cannot issue.
    uint8_t state = kAbsent;  ///< A Stall, or kAbsent.
    bool operator==(const Stretch&) const = default;
  };
  /// What a request brought.
  struct Arrival {
    int32_t issued = 0, arrived = 0;
    uint16_t slot = 0, pc = 0;
  };
  /// A block on the SM, in the slots from `first_slot` on, whose warps are where slot_of_warp() says.
  struct Resident {
    int32_t begin = 0, end = 0;
    uint32_t first_slot = 0;
    uint64_t block = 0;
  };

  int32_t clocks = 0;  ///< Recorded.
  uint32_t warps_per_block = 1;
  std::vector<std::vector<Stretch>> slots;  ///< By slot, ascending; each begins at 0, and ends with one at `clocks`.
  std::vector<Arrival> arrivals;            ///< Ascending by `arrived`.
  std::vector<Resident> residents;          ///< Ascending by `begin`.
  /// How busy the data path, L2's share of this SM and the tensor cores are, by kBucket clocks: 0 to 1; empty if never.
  std::vector<float> path, l2, tensor_cores;
  static constexpr int32_t kBucket = 8;

  /// The number of the slot's stretch in which the clock is.
  size_t stretch_at(uint32_t slot, int32_t clock) const;
  /// The block that the slot's warp belongs to at that clock; null where there is none.
  const Resident* resident_at(uint32_t slot, int32_t clock) const;
};

}  // namespace tilescope::clock
