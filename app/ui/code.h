#pragma once

#include <memory>

#include "ui/context.h"
#include "ui/editor.h"
#include "view/code_lines.h"
#include "view/code_rows.h"

namespace tilescope::ui {

/// Where one text is scrolled to.
struct CodeScroll {
  int followed = 0;  ///< The cursor's line in the last frame.
  size_t lines = 0;  ///< As wrapped, of the text that scrolled last.
  float goal = -1;   ///< Pixels; below zero: it stays where it is.
  int frame = 0;     ///< ImGui's, when the text was shown last.
  float room = 0, line_height = 0;  ///< Pixels, then.
  view::CodeColumns columns;
  std::vector<view::CodeRow> rows;  ///< Of the listing, for these columns; empty when they are to be made anew.
};

/// What the program text keeps from frame to frame; one for each experiment.
struct CodeKept {
  std::weak_ptr<const session::Scene> scene, counted, checked;  ///< That `listing` was made of.
  view::Listing listing;
  int tab = 2;  ///< Where the panel is narrow: 0 the source, 1 the PTX, 2 both, one over the other.
  CodeScroll source, ptx;
  EditorKept editor;
};

/// The CUDA text and the PTX with the cursor's lines lit and counts at the right, side by side where there is room; or
/// the editor. A click goes to a line, in the gutter it sets a breakpoint. Fills ImGui's current window.
void show_code(const Context& context, int experiment, CodeKept& kept);

}  // namespace tilescope::ui
