#pragma once

#include <string>

#include "cli/text.h"
#include "run/report.h"

namespace tilescope::cli {

/// The text of `trace`: launch, resources, occupancy, verification, memory by kind and by line, bound, findings.
std::string report_text(const run::Report& report, const Style& style);

/// The text of `check`: what was run, then each finding with its source line.
std::string check_text(const run::Report& report, const Style& style);

/// Each finding with its source line; empty if there is none.
std::string findings_text(const run::Report& report, const Style& style);

/// " in 16 of 1 024 blocks"; empty for all of them.
std::string sample_text(const run::Counts& counts);

/// The PTX; each instruction after the number of warps that executed it.
std::string ptx_text(const run::Report& report, const Style& style);

}  // namespace tilescope::cli
