#include "clock/stall.h"

#include <array>

#include "base/words.h"

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

std::string_view words_of(Stall state) {
  switch (state) {
    case Stall::Selected: return tr_later("issues");
    case Stall::NotSelected: return tr_later("not selected");
    case Stall::Wait: return tr_later("wait");
    case Stall::LongScoreboard: return tr_later("long scoreboard");
    case Stall::ShortScoreboard: return tr_later("short scoreboard");
    case Stall::Barrier: return tr_later("barrier");
    case Stall::MioThrottle: return tr_later("MIO throttle");
    case Stall::LgThrottle: return tr_later("LG throttle");
    case Stall::MathPipeThrottle: return tr_later("math pipe throttle");
    case Stall::DispatchStall: return tr_later("dispatch stall");
    case Stall::BranchResolving: return tr_later("branch resolving");
    case Stall::NoInstruction: return tr_later("no instruction");
    case Stall::ImcMiss: return tr_later("IMC miss");
    case Stall::Membar: return tr_later("membar");
    case Stall::Drain: return tr_later("drain");
    default: return tr_later("misc");
  }
}

}  // namespace tilescope::clock
