#pragma once

#include <cstdint>

#include "trace/event.h"

namespace tilescope::trace {

/// Addresses of a warp's lanes as two strides: lane l has base + (l mod 2^k) * inner + (l / 2^k) * outer, modulo 2^64.
/// `base` is lane 0's, whether or not that lane is active. One stride for all lanes is k = 5 with outer 0.
struct AffineLanes {
  uint64_t base = 0;
  int32_t inner = 0, outer = 0;
  uint8_t k = 5;

  uint64_t at(uint32_t lane) const {
    const uint64_t in_group = lane & ((1u << k) - 1), group = lane >> k;
    return base + in_group * static_cast<uint64_t>(int64_t{inner}) + group * static_cast<uint64_t>(int64_t{outer});
  }
  bool operator==(const AffineLanes&) const = default;
};

/// Finds the form that gives every active lane its address; false when there is none with 32-bit strides, or when
/// no two active lanes determine the inner stride. The largest k that fits is chosen; addresses of inactive lanes are
/// ignored.
bool fit_affine(const uint64_t addresses[kLanes], uint32_t active, AffineLanes& form);

}  // namespace tilescope::trace
