#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "cli/text.h"
#include "run/machine_block.h"

namespace tilescope::cli {

/// The machine code, an instruction a line: lines of the source and of the PTX, how many warps executed it, ptxas's
/// control bits for the scheduler, its text.
std::string machine_text(const run::MachineBlock& block, const Style& style);
/// The same as an array of objects.
nlohmann::ordered_json machine_json(const run::MachineBlock& block);

}  // namespace tilescope::cli
