#pragma once

#include <nlohmann/json.hpp>

#include "lesson/answer.h"

namespace tilescope::cli {

/// A step with computed values, texts as in a terminal; with `answers` the right ones, and how to get there so.
nlohmann::ordered_json json_of_step(const lesson::AnswerContext& context, bool answers, Diagnostics& problems);

}  // namespace tilescope::cli
