#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/text.h"
#include "wording/counters.h"

namespace tilescope::cli {

/// A table of the GPU's counts beside the emulator's; differences have a star and are explained below.
std::string counters_text(const std::vector<wording::CounterLine>& lines);

/// An array of objects: name, meaning, hardware, counted or null, and why they may differ or null.
nlohmann::ordered_json counters_json(const std::vector<wording::CounterLine>& lines);

}  // namespace tilescope::cli
