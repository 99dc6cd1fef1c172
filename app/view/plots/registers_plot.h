#pragma once

#include "run/traced_block.h"
#include "session/hidden_facts.h"
#include "view/plots/chart.h"

namespace tilescope::view {

/// The kernel's main loop as ptxas wrote it, an instruction a cell in the order in which they issue: FMAs, and among
/// them those that read two registers of one bank; loads; the rest. Above: what share of the instructions are FMAs, and
/// of the clocks by the model. A sentence where the machine code is not known. `covered`: no figures, under an open
/// question.
Plot registers_plot(const run::TracedBlock& traced, const Canvas& canvas, const session::HiddenFacts& hidden);

}  // namespace tilescope::view
