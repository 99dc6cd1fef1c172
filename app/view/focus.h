#pragma once

#include <string>
#include <vector>

#include "analysis/timeline.h"
#include "run/traced_block.h"
#include "session/hidden_facts.h"
#include "session/state.h"
#include "session/target.h"

namespace tilescope::view {

/// What every picture is made of: a scene, the place of the cursor in it, and what is pointed at.
struct Focus {
  const run::TracedBlock* scene = nullptr;   ///< Never null.
  const run::GridCounts* counted = nullptr;  ///< Of the same inputs; null until they are there.
  analysis::StepRef cursor;
  uint32_t lane = 0;                               ///< Of the thread that is looked at.
  const emulator::Registers* registers = nullptr;  ///< Of the instruction at the cursor; null while they are not known.
  session::Target hover;  ///< What the mouse is over, in any view; None when it is over nothing.
  session::Target pinned;
  session::WarpOrder order = session::WarpOrder::InStep;  ///< In step where no other is possible.
  session::HiddenFacts hidden;                            ///< What an open question asks for; no picture shows it.
  std::vector<std::string> emphasised;                    ///< Arrays that a lesson's scene is about.
  bool tells_of_sms = true;  ///< How many blocks run at a time: not before a lesson has plots on show.
  /// What to light: the hovered thing, else the pinned one.
  const session::Target& lit() const { return hover ? hover : pinned; }
  /// The lane that is pointed at, else the one that is looked at.
  uint32_t lit_lane() const {
    return lit().kind == session::Target::Kind::Lane ? static_cast<uint32_t>(lit().index) : lane;
  }
};

}  // namespace tilescope::view
