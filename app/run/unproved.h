#pragma once

#include "analysis/findings.h"
#include "run/prepare.h"
#include "run/report.h"

namespace tilescope::run {

/// Removes the findings that depend on a guess, and returns them. Of a proposed description those that depend on a
/// guessed size, value or launch: an access outside of an array whose size is guessed, or a race at an index that was
/// read from an array of random numbers, but not a race of two lines at an index computed from the thread's number. Of
/// others, such as a form that the user has corrected, accesses past the end of an array whose size nobody said.
analysis::Findings take_unproved(const Prepared& prepared, analysis::Findings& findings);

/// Of findings at a size that no tile divides: keeps what `whole`, the report at a size of whole tiles, finds too, and
/// takes the rest for unproved; the kernel may be meant for whole tiles. What the barriers do wrong stays, unless the
/// kernel leaves an array at that size, too.
void keep_what_whole_tiles_show(Report& report, const Report& whole);

}  // namespace tilescope::run
