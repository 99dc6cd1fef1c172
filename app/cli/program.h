#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/text.h"
#include "program/host.h"

namespace tilescope::cli {

/// A table with a row for all launches of one kernel with one grid and block and one of all together, then the
/// findings.
std::string program_text(const program::ProgramRun& run, const program::Machine& machine, const Style& style);
/// The object that docs/json.md describes; `program` as the user named it.
nlohmann::ordered_json program_json(const program::ProgramRun& run, const std::string& program,
                                    const program::ProgramRequest& request);

}  // namespace tilescope::cli
