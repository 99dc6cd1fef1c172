#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clock/sm_model.h"
#include "sass/instruction.h"

namespace tilescope::clock {

/// Needs more than the lower 32 bits of a product.
bool is_wide_product(const sass::Instruction& in);

/// Clocks beyond its stall count for which each instruction keeps its warp from the next: a wide product is done in two
/// turns, which ptxas's stall counts don't include. So what reads it comes later, and what needs the FMA pipes.
std::vector<uint8_t> waits_for_wide_products(const SmModel& model, std::span<const sass::Instruction> code);

}  // namespace tilescope::clock
