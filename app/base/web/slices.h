#pragma once

#include <functional>

namespace tilescope {

/// Runs `work`. let_turns_pass() suspends it once it has run for so long since it began or went on.
void run_in_slices(double milliseconds, const std::function<void()>& work);

}  // namespace tilescope
