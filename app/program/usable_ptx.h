#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "ptx/module.h"

namespace tilescope::program {

/// A module without the functions that cannot be run.
struct UsablePtx {
  ptx::Module module;
  std::map<std::string, Diagnostics, std::less<>> left_out;  ///< By name: why.
};

/// Reads PTX, leaving out the functions that have errors and those that call them, so that one kernel with an unknown
/// instruction does not take the others with it. Lines keep their numbers. Errors: an error outside of all functions.
Result<UsablePtx> parse_usable(std::string text, const std::string& file_name);

}  // namespace tilescope::program
