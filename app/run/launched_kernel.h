#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "analysis/finding.h"
#include "analysis/load_merge.h"
#include "analysis/occupancy.h"
#include "arch/arch.h"
#include "emulator/emulator.h"
#include "run/report.h"

namespace tilescope::run {

/// A kernel as it is launched: its program, its grid, its memory, and what is known of them. A kernel with a
/// description, its reference and a kernel of a user's program all run as one of these, and report_of() says of each
/// what it did.
struct LaunchedKernel {
  std::string name = {}, file = {};  ///< "sgemm<64>" and the CUDA source, for the report.
  std::shared_ptr<const emulator::Program> program = nullptr;
  std::shared_ptr<const analysis::MergePlan> merge_plan = nullptr;  ///< Null: loads are counted as the PTX has them.
  emulator::Launch shape = {};
  emulator::GlobalMemory* memory = nullptr;
  analysis::LaunchFacts facts = {};

  arch::Limits limits = {};  ///< Of the device that it is to run on.
  Resources resources = {};  ///< What ptxas says.
  std::optional<analysis::Occupancy> occupancy = std::nullopt;

  uint64_t blocks() const { return shape.grid.count(); }
  /// Those that the device runs side by side; 0 where that is not known.
  uint64_t at_once() const { return occupancy ? uint64_t{occupancy->blocks_per_sm} * shape.sms : 0; }
  bool is_cooperative() const { return shape.cooperative || program->is_cooperative(); }
  /// Whether its blocks run side by side: those of a cooperative launch, or of clusters.
  bool runs_together() const { return shape.cooperative || program->runs_together(); }
};

}  // namespace tilescope::run
