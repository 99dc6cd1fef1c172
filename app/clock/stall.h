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
/// "long_scoreboard", as in the names of Nsight Compute's metrics and in JSON
std::string_view to_string(Stall stall);
/// "long scoreboard", for people; to be translated.
std::string_view words_of(Stall stall);

}  // namespace tilescope::clock
