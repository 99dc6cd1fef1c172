#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "analysis/load_merge.h"
#include "analysis/timeline.h"
#include "analysis/warp_access.h"
#include "base/result.h"
#include "compile/compile.h"
#include "session/grid_run.h"
#include "session/launch_memory.h"
#include "session/prepare.h"
#include "session/report.h"
#include "session/story.h"
#include "trace/instruction_log.h"
#include "trace/trace.h"

namespace tilescope::session {

/// One run with all that it left behind. Immutable once made.
struct Scene {
  Request request;
  Prepared prepared;
  LaunchMemory launch;  ///< As the run left it.
  analysis::LaunchFacts facts;
  std::shared_ptr<const analysis::MergePlan> merge_plan;
  Report report;
  /// Of the block in request.block; absent when the whole grid ran.
  std::optional<trace::Trace> trace;
  trace::InstructionLog log;
  std::optional<analysis::Timeline> timeline;
  std::optional<Story> story;
  std::optional<arch::Device> device;  ///< The first known device of the architecture.
  std::vector<analysis::BlockStores> stores;  ///< Of every block that ran; arrays as in launch.memory.
  uint32_t block = 0;  ///< The traced block's linear number.
  analysis::MergedAccesses accesses = {};  ///< Of `trace`.

  const ptx::Function& function() const { return *facts.function; }
  const ptx::Instruction& instruction(uint32_t pc) const { return facts.function->instructions[pc]; }
};

/// Prepares, places the arrays, runs the blocks, counts and verifies. Errors: everything that keeps the kernel from
/// being launched, and "Cancelled.". What goes wrong in the kernel itself is in the report.
Result<std::shared_ptr<const Scene>> make_scene(const Request& request, compile::Compiler& compiler,
                                                const Control& control = {});

/// When `warp` of the traced block accesses memory on a CUDA line for the `occurrence`th time, from 1. Counted are
/// accesses of `array`; when it is empty, of the array that the line accesses first.
std::optional<analysis::Moment> find_access(const Scene& scene, int line, int occurrence, uint32_t warp,
                                            std::string_view array = {});

}  // namespace tilescope::session
