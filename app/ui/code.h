#pragma once

#include <vector>

#include "ui/context.h"
#include "ui/editor.h"
#include "ui/made.h"
#include "view/code/code_lines.h"
#include "view/code/code_rows.h"

namespace tilescope::ui {

/// What the listing of an experiment depends on.
struct ListingKey {
  Identity<run::TracedBlock> traced;
  Identity<run::GridCounts> counted;
  Identity<run::CheckResult> checked;
  bool in_lesson = false;
  bool operator==(const ListingKey&) const = default;
};

/// What the rows of one of its texts depend on.
struct CodeRowsKey {
  ListingKey listing;
  view::CodeColumns columns;
  bool operator==(const CodeRowsKey&) const = default;
};

/// The scroll position of one text.
struct CodeScroll {
  int followed = 0;                 ///< The cursor's line in the last frame.
  size_t lines = 0;                 ///< As wrapped, of the text that scrolled last.
  float goal = -1;                  ///< Pixels; below zero: no change.
  int frame = 0;                    ///< ImGui's, when the text was last shown.
  float room = 0, line_height = 0;  ///< Pixels, then.
  Made<CodeRowsKey, std::vector<view::CodeRow>> rows;
};

/// State of the program text between frames; one for each experiment.
struct CodeState {
  Made<ListingKey, view::Listing> listing;
  /// Both: the source over the PTX; in place of that the machine code.
  static constexpr int kSource = 0, kPtx = 1, kBoth = 2, kMachine = 3;
  int tab = kBoth;       ///< In a panel that has no room for all three side by side.
  bool fits_two = true;  ///< One over the other, in the last frame.
  CodeScroll source, ptx, machine;
  EditorState editor;
};

/// The CUDA text, the PTX and the machine code with the cursor's lines highlighted and counts at the right, side by
/// side as far as there is room; or the editor. A click goes to a line, in the gutter it sets a breakpoint. Fills
/// ImGui's current window.
void show_code(const Context& context, int experiment, CodeState& kept);

}  // namespace tilescope::ui
