#pragma once

#include <cstdint>

namespace tilescope::emulator {

/// The instruction sets for which lane arithmetic is compiled.
enum class LaneSet : uint8_t { Baseline, Avx2, Avx512 };

/// The widest that this processor has; TILESCOPE_LANES=baseline or avx2 chooses a narrower one.
LaneSet lane_set_of_processor();

}  // namespace tilescope::emulator
