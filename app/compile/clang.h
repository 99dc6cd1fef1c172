#pragma once

#include "base/process.h"
#include "compile/compile.h"
#include "compile/record.h"

namespace tilescope::compile {

/// The clang used without NVRTC: Settings::clang, $TILESCOPE_CLANG, or the newest on the PATH. Errors: there is none,
/// or it has no NVPTX target.
Result<Toolchain> find_clang(const Settings& settings, const Patience& patience);

/// PTX from clang, which runs once, confined (tilescope-clang) and in its own folder. The reply has the fields of
/// NVRTC's, without a cubin and without anything that ptxas knows. Errors: as of NvrtcProcess::compile.
Result<Record> compile_by_clang(const Request& request, const Toolchain& clang, const Settings& settings,
                                const Patience& patience);

/// The arguments that make clang compile FILE, the request's, into "ptx", as nvcc would: the target, what the fixed
/// options of an NVRTC compile, the request's macros and options. "--restrict" has no counterpart, and what
/// only ptxas does (--maxrregcount) has no effect on PTX.
std::vector<std::string> clang_arguments(const Request& request, const Toolchain& clang);

}  // namespace tilescope::compile
