#pragma once

#include <cstdint>
#include <optional>

#include "base/diagnostic.h"
#include "compile/compile.h"
#include "session/grid_run.h"
#include "session/prepare.h"

namespace tilescope::session {

/// A trace that is not worth beginning.
struct TooLongTrace {
  Diagnostic problem;
  int64_t fitting_k = 0;  ///< A power of two whose trace fits and is there soon.
};

/// Whether the trace of one block would pass the control's step budget or the records that a trace holds; asked before
/// it is run, which takes long. Only a K from kLongK on is judged: a block is traced at two short ones, and what it
/// does there is carried on in a straight line. None where the trace fits and where that cannot be told.
constexpr int64_t kLongK = 4096;
std::optional<TooLongTrace> too_long_trace(const Request& request, compile::Compiler& compiler, const Control& control);

}  // namespace tilescope::session
