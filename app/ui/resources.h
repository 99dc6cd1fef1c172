#pragma once

#include <vector>

#include "ui/context.h"
#include "ui/made.h"
#include "view/resources.h"

namespace tilescope::ui {

/// What the figures of an experiment depend on.
struct ResourcesKey {
  Identity<run::TracedBlock> scene;
  Identity<run::GridCounts> counted;
  bool operator==(const ResourcesKey&) const = default;
};

/// What the figures keep from frame to frame; one for each experiment.
struct ResourcesState {
  using Rows = std::vector<view::ResourceRow>;
  Made<ResourcesKey, Rows> rows;
  Made<ResourcesKey, Rows> other;    ///< Of the experiment that is compared.
  Identity<run::TracedBlock> scene;  ///< That `rows` were made of.
  Rows before;                       ///< Those of the scene before.
};

/// Threads, registers, shared memory, occupancy, words and the bound, a row each; beside a value that has changed what
/// it was, or with two experiments what it is in the other. Draws from ImGui's cursor down. Returns whether the
/// occupancy was clicked, which the picture of an SM explains.
bool show_resources(const Context& context, int experiment, ResourcesState& kept);

}  // namespace tilescope::ui
