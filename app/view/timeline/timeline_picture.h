#pragma once

#include <cstdint>
#include <optional>

#include "view/focus.h"
#include "view/picture.h"
#include "view/timeline/timeline_content.h"

namespace tilescope::view {

/// The shown slots of the timeline (see analysis::Timeline).
struct TimelineView {
  uint32_t first_slot = 0;
  uint32_t slots_shown = 0;  ///< 0: all.
  uint32_t first_warp = 0;
  bool operator==(const TimelineView&) const = default;
};
/// At most these many warps are drawn at once.
constexpr uint32_t kWarpsShown = 32;

/// The view limited to a timeline of that many slots, and not fewer than it can show.
TimelineView fitted(TimelineView view, uint32_t slots);
/// `factor` times as many slots, about the slot at `place` (0 to 1) of the view.
TimelineView zoomed(TimelineView view, uint32_t slots, float factor, float place);
/// Moved by that many slots, as far as possible.
TimelineView panned(TimelineView view, uint32_t slots, int64_t by);
/// Moved just enough to show that slot, with a little before and after it.
TimelineView following(TimelineView view, uint32_t slots, uint32_t slot);

/// The ink of instructions of a kind, in every view.
Ink ink_of(analysis::StepKind kind);

/// The layout of the picture.
struct TimelineLayout {
  Box ruler;                 ///< k-tiles and phases: dragging here scrubs.
  Box plot;                  ///< The rows.
  Box stages;                ///< Below them, a row for each mbarrier that copies complete on; no height without any.
  float pitch = 0, bar = 0;  ///< From row to row; height of a row's cells.
  float text = 0;
  bool phases = false;  ///< Whether the ruler has a line for them.
  uint32_t first_warp = 0, warps = 0, first_slot = 0, slots = 0;

  float x_of(double slot) const;
  uint32_t slot_at(float x) const;
  float top_of(uint32_t warp) const { return plot.y + static_cast<float>(warp - first_warp) * pitch; }
  bool shows(uint32_t warp, uint32_t slot) const;
  Box cell(uint32_t warp, uint32_t slot) const;
  uint32_t end_slot() const { return first_slot + slots; }
  uint32_t end_warp() const { return first_warp + warps; }
};
TimelineLayout timeline_layout(const Focus& focus, const Canvas& canvas, const TimelineView& view);

/// The warp's instruction under the point, or the one before if it waits; None outside of the rows.
std::optional<analysis::StepRef> moment_at(const Focus& focus, const TimelineLayout& layout, Point point);

/// One row per warp, coloured by kind; barriers as lines across all rows, findings as flags, copies and wgmma in flight
/// as bars below the rows, and those that complete on an mbarrier in a row of their own for each of these below all,
/// followed by what they brought, paler, until the next ones are on their way; the k-tiles and phases of the cursor's
/// warp above. Where slots are narrower than a pixel, a pixel has the kind of most of them, Other aside. `content` and
/// `marks` are of the focus's traced block; the marks may be of nothing.
Picture timeline_picture(const Focus& focus, const Canvas& canvas, const TimelineView& view,
                         const TimelineContent& content, const TimelineMarks& marks = {});

}  // namespace tilescope::view
