#include <cstdlib>
#include <string_view>

#include "emulator/handler.h"

namespace tilescope::emulator {

Selector choose_selector() {
  const char* set = std::getenv("TILESCOPE_LANES");
  const std::string_view asked = set ? set : "avx512";
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (asked == "avx512" && avx512) return &select_avx512;
  if (asked != "baseline" && avx2) return &select_avx2;
#endif
  return &select_baseline;
}

}  // namespace tilescope::emulator
