#pragma once

#include <filesystem>

#include "base/process.h"
#include "compile/compile.h"
#include "compile/record.h"

namespace tilescope::compile {

/// nvcc: $TILESCOPE_NVCC if it is set, else the one in PATH, in $CUDA_HOME/bin, or in the newest of
/// /usr/local/cuda*/bin; empty if it is not there.
std::filesystem::path find_nvcc();

/// The nvcc that compiles kernels: Settings::nvcc, or find_nvcc(). Errors: there is none; it does not run; it has no
/// preprocessor (gcc); the system cannot close files to it.
Result<Toolchain> examine_nvcc(const Settings& settings, const Patience& patience);

/// PTX, machine code and ptxas's log from nvcc, which runs once, confined (tilescope-confine) and in its own folder.
/// The reply has the fields of NvrtcProcess::compile().
Result<Record> compile_by_nvcc(const Request& request, const Toolchain& nvcc, const Settings& settings,
                               const Patience& patience);

}  // namespace tilescope::compile
