#pragma once

#include <cstdint>

namespace tilescope::analysis {

/// A value is congruent to `residue` modulo `modulus`, a power of two from 1 (nothing known) to 16. Modulus 0: no value
/// has been seen yet.
struct LowBits {
  static constexpr uint32_t kMost = 16;
  uint32_t modulus = 1, residue = 0;
  bool operator==(const LowBits&) const = default;
};
constexpr LowBits kNoneSeen{0, 0};

LowBits low_bits_of(uint32_t constant);
LowBits sum(LowBits a, LowBits b);
LowBits product(LowBits a, LowBits b);
/// a | b
LowBits united(LowBits a, LowBits b);
/// a & mask
LowBits masked(LowBits a, uint32_t mask);
/// a >> count, zeros or signs shifted in.
LowBits shifted_right(LowBits a, uint32_t count);
/// The power of two that divides it, and nothing more.
LowBits divisor_only(LowBits a);
/// The bits known of a value that is either.
LowBits either(LowBits a, LowBits b);

}  // namespace tilescope::analysis
