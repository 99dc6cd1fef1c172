#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/compile.h"

namespace tilescope::compile {

/// Errors in the request, before anything runs; empty if it may be compiled.
Diagnostics check_request(const Request& request);

/// Directives that could make the compiler read a file or change line numbers: #include of anything but a plain
/// relative name, of a macro, __has_include of the same, #include_next, #embed, #import, #line. Works on the source as
/// the compiler sees it: lines spliced, comments removed, strings and raw strings skipped, digraphs known.
Diagnostics check_directives(const Request& request);

/// The text of line `number`, from 1, without its end; empty if there is none.
std::string_view line_at(std::string_view source, int number);

}  // namespace tilescope::compile
