#pragma once

#include "ui/context.h"
#include "ui/parameters.h"

namespace tilescope::ui {

/// What the bar at the top switches elsewhere.
struct TopBarSwitches {
  ParametersState* sizes = nullptr;  ///< Not null: the size and block are changed here, in a menu.
  bool* large_plots = nullptr;       ///< Not null: the plots come and go here.
};

/// The bar at the top: which stage, where the figures come from, compare, theme, present.
void show_top_bar(const Context& context, const TopBarSwitches& switches);

}  // namespace tilescope::ui
