#pragma once

#include <string>
#include <vector>

#include "compile/compile.h"
#include "compile/record.h"

namespace tilescope::compile {

/// Identifies the result of a compile, for any NVRTC: source, file's last component, macros in
/// any order, options, architecture.
std::string request_hash(const Request& request);

/// The same for one NVRTC.
std::string cache_hash(const Request& request, const Toolchain& toolchain);

/// The request for tilescope-nvrtc: source, name, options, and headers and instances, if any.
Record compiler_message(const Request& request);

/// The options that NVRTC is given for the request, in an order that does not depend on the macros'.
std::vector<std::string> compiler_options(const Request& request);

}  // namespace tilescope::compile
