#pragma once

#include <string>

#include "base/result.h"
#include "cli/kernel_options.h"
#include "program/host.h"
#include "run/report.h"

namespace tilescope::cli {

/// A launch that a program made, up to which it ran.
struct ProgramLaunch {
  run::Report report;                ///< Of the launch, checked in all blocks if `launch` of the options is set.
  program::CapturedLaunch captured;  ///< With the data that it had.
  std::shared_ptr<const Result<run::LaunchClock>> clock;
};

/// Whether a file can be run up to a launch: a .cu file with a main(), and nvcc is there.
bool has_program(const std::string& file);

/// Whether a launch of the file's program is chosen. Errors: the program gets arguments and there is none.
Result<bool> asks_program(const std::string& file, const ProgramChoice& choice);

/// Compiles the file with nvcc and runs its main() up to the launch that the options choose, else to its first, of
/// `entry` (empty: of any kernel). The program's output is discarded, and it may write no files. Errors: those of nvcc;
/// no such launch.
Result<ProgramLaunch> run_to_launch(const KernelOptions& options, const run::Control& control);

/// The same, and lets the program run on for some seconds: all launches, and those captured that memory holds.
Result<program::ProgramRun> run_past_launch(const KernelOptions& options, const run::Control& control);

}  // namespace tilescope::cli
