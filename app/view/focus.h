#pragma once

#include <string>
#include <vector>

#include "analysis/timeline.h"
#include "run/traced_block.h"
#include "session/hidden_facts.h"
#include "session/state.h"
#include "session/target.h"

namespace tilescope::view {

/// The input of every picture: a traced block, the cursor's place in it, and the target pointed at.
struct Focus {
  const run::TracedBlock* traced = nullptr;  ///< Never null.
  const run::GridCounts* counted = nullptr;  ///< Of the same inputs; null until ready.
  analysis::StepRef cursor;
  uint32_t lane = 0;                               ///< Of the viewed thread.
  const emulator::Registers* registers = nullptr;  ///< Of the instruction at the cursor; null while unknown.
  session::Target hover;                           ///< The target under the mouse, in any view; or None.
  session::Target pinned;
  session::WarpOrder order = session::WarpOrder::InStep;  ///< In step if no other is possible.
  session::HiddenFacts hidden;                            ///< The facts of open questions; no picture shows them.
  std::vector<std::string> emphasised;                    ///< Arrays emphasised by a lesson's scene.
  bool tells_of_sms = true;  ///< How many blocks run at a time: not before a lesson shows plots.
  /// What to highlight: the hovered target, else the pinned one.
  const session::Target& lit() const { return hover ? hover : pinned; }
  /// The lane pointed at, else the viewed one.
  uint32_t lit_lane() const {
    return lit().kind == session::Target::Kind::Lane ? static_cast<uint32_t>(lit().index) : lane;
  }
};

}  // namespace tilescope::view
