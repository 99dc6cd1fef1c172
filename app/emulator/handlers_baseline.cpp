#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulator/directed.h"
#include "emulator/warp.h"

#define TILESCOPE_LANES lanes_baseline
#include "emulator/handlers.inc"

namespace tilescope::emulator {

Handler select_baseline(const ptx::Instruction& instruction, const DecodedInstruction& bound) {
  return lanes_baseline::select(instruction, bound);
}

}  // namespace tilescope::emulator
