#pragma once

#include <string>

#include "view/focus.h"

namespace tilescope::view {

/// A register's value as the instruction interprets it: floats with six digits, integers in decimal, those that need
/// more than 32 bits in hexadecimal, "true" and "false".
std::string value_text(uint64_t bits, ptx::Type type);

/// What a lane's registers held when the cursor's instruction was issued: "%f14 = 0.25 × 1.5 + 0 = 0.375",
/// "%p1 = false, from %r5 = 12, %r7 = 64". Empty while unknown, if the lane takes no part, or if the
/// instruction has no registers.
std::string register_words(const Focus& focus, uint32_t lane);

}  // namespace tilescope::view
