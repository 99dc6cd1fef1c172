#pragma once

#include <vector>

#include "lesson/expression.h"
#include "lesson/runs.h"

namespace tilescope::lesson {

/// recorded("NVIDIA H200", 4096): the recording in assets/recordings of the run's kernel with its current text and
/// parameters, on that device and at that size instead of the run's own. If there is none the error lists what there
/// is.
Result<Value> recorded_like(const SceneRun& run, const std::vector<Value>& given);

/// published("Tesla T4", 4096): the same from assets/published.toml, for figures that a document prints.
Result<Value> published_like(const SceneRun& run, const std::vector<Value>& given);

}  // namespace tilescope::lesson
