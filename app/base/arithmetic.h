#pragma once

#include <cstdint>

namespace tilescope {

/// The smallest multiple of `multiple` that is not below `value`.
constexpr uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// a / b; 0 where b is 0.
constexpr double ratio(uint64_t a, uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

}  // namespace tilescope
