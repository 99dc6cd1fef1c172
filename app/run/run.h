#pragma once

#include "base/result.h"
#include "compile/compile.h"
#include "run/grid_run.h"
#include "run/prepare.h"
#include "run/report.h"
#include "run/traced_block.h"

namespace tilescope::run {

/// From a request to the report of its whole grid: prepare, place the arrays, run the blocks, count, verify. Errors:
/// everything that keeps the kernel from being launched, and "Cancelled.". What goes wrong in the kernel itself is in
/// the report. With its time: see add_time().
Result<Report> make_report(const Request& request, compile::Compiler& compiler, const Control& control = {});
/// Likewise under all four checkers, and without its time.
Result<Report> make_check_report(const Request& request, compile::Compiler& compiler, const Control& control = {});

/// The smallest of a few sizes that the kernel takes with these settings: first one that no tile divides, then
/// multiples of 64. It is what `check` runs when no size is given. When none fits, the largest of them.
kernel::Size smallest_size(const kernel::Kernel& kernel, const kernel::Settings& settings, const arch::Limits& limits);

}  // namespace tilescope::run
