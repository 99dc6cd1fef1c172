#pragma once

#include <string>
#include <vector>

#include "ui/context.h"
#include "ui/made.h"
#include "view/resources.h"

namespace tilescope::ui {

/// What the figures of an experiment depend on.
struct ResourcesKey {
  Identity<run::TracedBlock> traced;
  Identity<run::GridCounts> counted;
  Identity<session::ClockRun> clock;
  bool operator==(const ResourcesKey&) const = default;
};

/// State of the figures between frames; one for each experiment.
struct ResourcesState {
  using Rows = std::vector<view::ResourceRow>;
  struct Figures {
    Rows rows;
    Identity<run::TracedBlock> traced;  ///< That they are of.
    Rows before;                        ///< Those of the traced block before, if it was of the same kernel.
    std::string kernel;
  };
  Made<ResourcesKey, Figures> figures;
  Made<ResourcesKey, Rows> other;  ///< Of the experiment that is compared.
};

/// Threads, registers, shared memory, occupancy, words, the bound, and with the clocks on show the caches, a row each;
/// beside a changed value the earlier one, or with two experiments the other's. Draws from ImGui's cursor down. Returns
/// whether the occupancy was clicked, which the picture of an SM explains.
bool show_resources(const Context& context, int experiment, ResourcesState& kept);

}  // namespace tilescope::ui
