#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/compile.h"

namespace tilescope::compile {

/// The contents of a compiler's log, in order.
struct CompilerLog {
  Diagnostics diagnostics;
  std::vector<Resources> resources;  ///< From the lines of --ptxas-options=-v.
};

/// Reads the log of a compile of `request`. Places that NVRTC names by the file's last component get the request's
/// file name and the line's text from its source; no other file is read. A place in the PTX becomes the source line
/// that the PTX's .loc gives.
CompilerLog read_log(std::string_view log, std::string_view ptx, const Request& request);

/// The same for clang: "k.cu:3:5: error: ...". It has no resources.
CompilerLog read_clang_log(std::string_view log, const Request& request);

/// The name that the compiler is given for the request's file: the last component, with what a PTX string cannot hold
/// replaced by _.
std::string compiled_name(const Request& request);

}  // namespace tilescope::compile
