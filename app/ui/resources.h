#pragma once

#include <memory>
#include <vector>

#include "ui/context.h"
#include "view/resources.h"

namespace tilescope::ui {

/// What the figures keep from frame to frame; one for each experiment.
struct ResourcesKept {
  std::weak_ptr<const session::Scene> scene, counted;  ///< That `rows` were made of.
  std::vector<view::ResourceRow> rows;
  std::vector<view::ResourceRow> before;  ///< Those of the scene before.
};

/// Threads, registers, shared memory, occupancy, words and the bound, a row each; beside a value that has changed what
/// it was, or with two experiments what it is in the other. Draws from ImGui's cursor down.
void show_resources(const Context& context, int experiment, ResourcesKept& kept);

}  // namespace tilescope::ui
