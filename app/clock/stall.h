#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilescope::clock {

/// What a warp does in a clock: it issues, or why it does not, by Nsight Compute's names ("Warp State").
enum class Stall : uint8_t {
  Selected,
  NotSelected,
  Wait,
  LongScoreboard,
  ShortScoreboard,
  Barrier,
  MioThrottle,
  LgThrottle,
  MathPipeThrottle,
  DispatchStall,
  BranchResolving,
  NoInstruction,
  ImcMiss,
  Membar,
  Drain,
  Misc,
  kCount
};
constexpr size_t kStalls = static_cast<size_t>(Stall::kCount);
/// "long_scoreboard"
std::string_view to_string(Stall stall);

}  // namespace tilescope::clock
