#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulator/directed.h"
#include "machine/warp.h"

#define TILESCOPE_LANES lanes_baseline
#include "machine/lanes.inc"

namespace tilescope::machine {

Handler select_baseline(const Step& step) { return lanes_baseline::select(step); }

}  // namespace tilescope::machine
