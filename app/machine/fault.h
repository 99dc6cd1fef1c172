#pragma once

#include "base/diagnostic.h"
#include "machine/machine.h"
#include "sass/lines.h"

namespace tilescope::machine {

/// Where a block stopped and why, as a sentence that says what to do. `sources`: the lines of the program's
/// instructions. `memory`: the launch's; the array next to the access is named. Both may be null.
Diagnostic error_of(const Fault& fault, const sass::LineTable* sources, const emulator::GlobalMemory* memory);
/// The same of a block that does not go on although nothing stopped it.
Diagnostic error_of_deadlock();

}  // namespace tilescope::machine
