#include "clock/stall.h"

#include <array>

namespace tilescope::clock {

std::string_view to_string(Stall stall) {
  constexpr std::array<std::string_view, kStalls> kNames = {"selected",
                                                            "not_selected",
                                                            "wait",
                                                            "long_scoreboard",
                                                            "short_scoreboard",
                                                            "barrier",
                                                            "mio_throttle",
                                                            "lg_throttle",
                                                            "math_pipe_throttle",
                                                            "dispatch_stall",
                                                            "branch_resolving",
                                                            "no_instruction",
                                                            "imc_miss",
                                                            "membar",
                                                            "drain",
                                                            "misc"};
  return kNames[static_cast<size_t>(stall)];
}

}  // namespace tilescope::clock
