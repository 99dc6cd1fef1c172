#include "analysis/low_bits.h"

#include <algorithm>

namespace tilescope::analysis {
namespace {

/// The largest power of two, at most 16, that divides `value`.
uint32_t power_in(uint32_t value) {
  const uint32_t power = value & (0 - value);
  return power == 0 ? LowBits::kMost : std::min(power, LowBits::kMost);
}

LowBits of(uint32_t modulus, uint32_t residue) {
  const uint32_t kept = std::min(modulus, LowBits::kMost);
  return {kept, residue % kept};
}

}  // namespace

LowBits low_bits_of(uint32_t constant) { return of(LowBits::kMost, constant); }

LowBits sum(LowBits a, LowBits b) {
  if (a == kNoneSeen || b == kNoneSeen) return kNoneSeen;
  return of(std::min(a.modulus, b.modulus), a.residue + b.residue);
}

LowBits product(LowBits a, LowBits b) {
  if (a == kNoneSeen || b == kNoneSeen) return kNoneSeen;
  const uint32_t modulus =
      std::min({a.modulus * b.modulus, a.modulus * power_in(b.residue), b.modulus * power_in(a.residue)});
  return of(modulus, a.residue * b.residue);
}

LowBits united(LowBits a, LowBits b) {
  if (a == kNoneSeen || b == kNoneSeen) return kNoneSeen;
  return of(std::min(a.modulus, b.modulus), a.residue | b.residue);
}

LowBits masked(LowBits a, uint32_t mask) {
  if (a == kNoneSeen) return a;
  uint32_t modulus = a.modulus;
  while (modulus < LowBits::kMost && (mask & modulus) == 0) modulus *= 2;
  return of(modulus, a.residue & mask);
}

LowBits shifted_right(LowBits a, uint32_t count) {
  if (a == kNoneSeen) return a;
  const uint32_t modulus = count < 5 ? a.modulus >> count : 0;
  return modulus == 0 ? LowBits{} : of(modulus, a.residue >> count);
}

LowBits divisor_only(LowBits a) { return a.residue == 0 ? a : LowBits{power_in(a.residue), 0}; }

LowBits either(LowBits a, LowBits b) {
  if (a == kNoneSeen) return b;
  if (b == kNoneSeen) return a;
  return of(std::min({a.modulus, b.modulus, power_in(a.residue ^ b.residue)}), a.residue);
}

}  // namespace tilescope::analysis
