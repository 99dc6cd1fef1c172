#include <cstdlib>
#include <string_view>

#include "emulator/handler.h"
#include "emulator/lane_set.h"

namespace tilescope::emulator {

LaneSet lane_set_of_processor() {
  const char* set = std::getenv("TILESCOPE_LANES");
  const std::string_view asked = set ? set : "avx512";
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (asked == "avx512" && avx512) return LaneSet::Avx512;
  if (asked != "baseline" && avx2) return LaneSet::Avx2;
#endif
  return LaneSet::Baseline;
}

Selector choose_selector() {
  switch (lane_set_of_processor()) {
#if defined(__x86_64__)
    case LaneSet::Avx512: return &select_avx512;
    case LaneSet::Avx2: return &select_avx2;
#endif
    default: return &select_baseline;
  }
}

}  // namespace tilescope::emulator
