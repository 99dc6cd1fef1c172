#pragma once

#include "ui/context.h"
#include "ui/parameters.h"
#include "view/code/findings.h"

namespace tilescope::ui {

/// State outside of the bar that its switches change.
struct TopBarSwitches {
  const view::FindingList* findings = nullptr;  ///< Of the chosen experiment; null: unknown, or a question is about it.
  bool* opens_findings = nullptr;               ///< Set by a click on what the run is.
  ParametersState* sizes = nullptr;             ///< Not null: a menu changes the size and block.
  bool* large_plots = nullptr;                  ///< Not null: a switch shows the plots.
};

/// The bar at the top: which stage, where the figures come from, compare, theme, present.
void show_top_bar(const Context& context, const TopBarSwitches& switches);

}  // namespace tilescope::ui
