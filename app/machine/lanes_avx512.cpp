#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulator/directed.h"
#include "machine/warp.h"

// The target is set after the headers, so that code which other files share stays plain.
#ifdef __clang__
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt")
#endif
#define TILESCOPE_LANES lanes_avx512
#include "machine/lanes.inc"

namespace tilescope::machine {

Handler select_avx512(const Step& step) { return lanes_avx512::select(step); }

}  // namespace tilescope::machine
#ifdef __clang__
#pragma clang attribute pop
#endif
