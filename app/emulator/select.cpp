#include <cstdlib>
#include <string_view>

#include "emulator/handler.h"

namespace tilescope::emulator {
namespace {

struct Choice {
  const char* name;
  Selector selector;
};

Choice choose() {
  const char* set = std::getenv("TILESCOPE_LANES");
  const std::string_view asked = set ? set : "avx512";
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (asked == "avx512" && avx512) return {"avx512", &select_avx512};
  if (asked != "baseline" && avx2) return {"avx2", &select_avx2};
#endif
  return {"baseline", &select_baseline};
}

}  // namespace

Selector choose_selector() { return choose().selector; }
const char* lane_instruction_set() { return choose().name; }

}  // namespace tilescope::emulator
