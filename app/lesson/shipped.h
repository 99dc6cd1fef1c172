#pragma once

#include <vector>

#include "lesson/expression.h"
#include "lesson/runs.h"

namespace tilescope::lesson {

/// recorded("NVIDIA H200", 4096): what assets/recordings has of the run's kernel, as its text is now, with the run's
/// parameters, on that device and at that size in place of the run's own. A run whose like was never recorded is an
/// error that says what there is.
Result<Value> recorded_like(const SceneRun& run, const std::vector<Value>& given);

/// published("Tesla T4", 4096): the same from assets/published.toml, for figures that a document prints.
Result<Value> published_like(const SceneRun& run, const std::vector<Value>& given);

}  // namespace tilescope::lesson
