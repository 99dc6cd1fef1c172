#pragma once

#include <nlohmann/json.hpp>

#include "lesson/answer.h"

namespace tilescope::cli {

/// A step with its values computed, texts as a terminal shows them; with `answers` what is right, and how to make it
/// so.
nlohmann::ordered_json json_of_step(const lesson::AnswerContext& evidence, bool answers, Diagnostics& problems);

}  // namespace tilescope::cli
