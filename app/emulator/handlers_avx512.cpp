#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulator/directed.h"
#include "emulator/warp.h"

// The target is set after the headers, so that code shared with other files is compiled for any processor.
#ifdef __clang__
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt")
#endif
#define TILESCOPE_LANES lanes_avx512
#include "emulator/handlers.inc"

namespace tilescope::emulator {

Handler select_avx512(const ptx::Instruction& instruction, const DecodedInstruction& bound) {
  return lanes_avx512::select(instruction, bound);
}

}  // namespace tilescope::emulator
#ifdef __clang__
#pragma clang attribute pop
#endif
