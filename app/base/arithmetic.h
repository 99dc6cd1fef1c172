#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace tilescope {

/// The smallest multiple of `multiple` that is at least `value`.
constexpr uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// a / b; 0 if b is 0.
constexpr double ratio(uint64_t a, uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

/// Joins times that partly overlap, as a norm with that exponent: the larger it is, the more only the longest counts.
/// None may be negative.
inline double joined(std::initializer_list<double> times, double sharpness) {
  const double longest = std::max(times);
  if (longest <= 0) return 0;
  double sum = 0;
  for (const double time : times) sum += std::pow(time / longest, sharpness);
  return longest * std::pow(sum, 1 / sharpness);
}

}  // namespace tilescope
