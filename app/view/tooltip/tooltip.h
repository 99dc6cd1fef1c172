#pragma once

#include <string>
#include <vector>

#include "session/target.h"
#include "view/focus.h"
#include "view/picture.h"
#include "view/tooltip/element_uses.h"

namespace tilescope::view {

/// A description of a target and its current state.
struct TooltipText {
  std::string title;
  Ink ink = Ink::Strong;  ///< Of the title.
  std::vector<std::string> lines;
  explicit operator bool() const { return !title.empty(); }
};

/// Two to six short lines about a target; empty if the traced block does not have it.
TooltipText tooltip(const session::Target& target, const Focus& focus, ElementUses& uses);

}  // namespace tilescope::view
