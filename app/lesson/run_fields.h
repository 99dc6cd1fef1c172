#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/expression.h"
#include "lesson/runs.h"
#include "session/hidden_facts.h"

namespace tilescope::lesson {

/// All names that expressions can use of a run; docs/teaching.md lists them. The object keeps the run alive.
std::shared_ptr<const Object> describe_run(std::shared_ptr<const SceneRun> run);

/// The facts that `name.member` of a run reveals; none for other names. `member` may be empty.
session::HiddenFacts told_by(std::string_view name, std::string_view member);

/// The record of the trace at which `warp` accesses memory on a CUDA line for the `occurrence`th time, from 1. Only
/// accesses of `array` count; if it is empty, of the array that the line accesses first.
std::optional<size_t> find_record(const SceneRun& run, int line, int occurrence, uint32_t warp,
                                  const std::string& array = {});

}  // namespace tilescope::lesson
