#pragma once

#include "ui/context.h"
#include "ui/made.h"
#include "ui/picture_view.h"
#include "view/access_words.h"

namespace tilescope::ui {

/// What the words beside the strip depend on.
struct StripWordsKey {
  Identity<run::TracedBlock> traced;
  analysis::StepRef cursor;
  session::HiddenFacts hidden;
  Space space = Space::Global;  ///< As in strip_space().
  bool operator==(const StripWordsKey&) const = default;
};

/// What its picture depends on.
struct StripKey {
  StripWordsKey instruction;
  session::Target lit;
  uint32_t lane = 0;
  bool registers = false;  ///< They are known: of one instruction always the same.
  CanvasKey canvas;
  bool operator==(const StripKey&) const = default;
};

/// What the picture of the warps depends on.
struct WarpsKey {
  StripWordsKey instruction;
  session::WarpOrder order{};
  session::Target lit;
  CanvasKey canvas;
  bool operator==(const WarpsKey&) const = default;
};

/// State of the strip between frames; one for each experiment.
struct StripState {
  Made<StripWordsKey, view::InstructionWords> words;
  Made<StripKey, view::Picture> picture;
  bool shows_warps = false;  ///< The block's warps between two barriers, in place of the lanes of one.
  Made<WarpsKey, view::Picture> warps;
};

/// The warp instruction under the cursor, in words and as a picture; or the warps of the block between two barriers,
/// and the choice of their order. Fills ImGui's current window.
void show_strip(const Context& context, int experiment, StripState& kept);

}  // namespace tilescope::ui
