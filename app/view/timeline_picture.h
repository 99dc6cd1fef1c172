#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/finding.h"
#include "view/focus.h"
#include "view/picture.h"

namespace tilescope::view {

/// Which columns of the timeline are on show.
struct TimelineView {
  uint32_t first_column = 0;
  uint32_t columns_shown = 0;  ///< 0: all.
  uint32_t first_warp = 0;
  bool operator==(const TimelineView&) const = default;
};
/// At most these many warps are drawn at once.
constexpr uint32_t kWarpsShown = 32;

/// The view with its columns inside a timeline of that many, and not fewer than it can show.
TimelineView fitted(TimelineView view, uint32_t columns);
/// `factor` times as many columns, about the column that stands at `place` (0 to 1) of the view.
TimelineView zoomed(TimelineView view, uint32_t columns, float factor, float place);
/// Moved by that many columns, as far as there are any.
TimelineView panned(TimelineView view, uint32_t columns, int64_t by);
/// Moved no further than it takes to show that column, with a little before and after it.
TimelineView following(TimelineView view, uint32_t columns, uint32_t column);

/// The rows of a timeline as stretches of one kind, made once for a scene: drawing needs time for the stretches alone.
struct TimelineRuns {
  /// From `column` to the next one's.
  struct Run {
    uint32_t column = 0;
    analysis::StepKind kind = analysis::StepKind::Other;
    bool waits = false;  ///< The warp issues nothing here.
    bool operator==(const Run&) const = default;
  };
  std::vector<std::vector<Run>> rows;  ///< The different ones; each ends with a run at the column after the last.
  std::vector<uint32_t> row_of_warp;
};
TimelineRuns timeline_runs(const session::Scene& scene);

/// A finding's place.
struct TimelineFlag {
  uint32_t warp = 0, column = 0;
  uint32_t step = 0;     ///< The first at which that warp runs the instruction.
  uint32_t finding = 0;  ///< Index into the findings.
};
/// Of the findings whose warp and instruction the traced block has, by column.
std::vector<TimelineFlag> timeline_flags(const session::Scene& scene, const std::vector<analysis::Finding>& findings);

/// Steps that have to do with what is lit: those that access an element or a sector, or belong to a line.
struct TimelineMarks {
  static constexpr size_t kRecordsACall = 16384;
  struct Mark {
    uint32_t warp = 0, column = 0;
    bool writes = false;
  };
  session::Target target = {};   ///< For which they are made.
  std::vector<Mark> marks = {};  ///< By warp, then column.
  uint32_t warp = 0;             ///< The search goes on with this warp's ...
  size_t next = 0;               ///< ... record, or straight line, of this number.
  bool complete = false;
};
/// Searches a further part of the scene for what marks.target means: a large trace takes longer than a frame.
void add_marks(const session::Scene& scene, TimelineMarks& marks);
/// All of them.
TimelineMarks timeline_marks(const session::Scene& scene, const session::Target& target);

/// What is drawn beside the scene itself; all of one scene. The marks may be of nothing.
struct TimelineContent {
  TimelineRuns runs;
  std::vector<TimelineFlag> flags;
  TimelineMarks marks;
};

/// Where things are in the picture.
struct TimelineLayout {
  Box ruler;                 ///< k-tiles and phases: dragging here scrubs.
  Box plot;                  ///< The rows.
  float pitch = 0, bar = 0;  ///< From row to row; height of a row's cells.
  float text = 0;
  bool phases = false;  ///< Whether the ruler has a line for them.
  uint32_t first_warp = 0, warps = 0, first_column = 0, columns = 0;

  float x_of(double column) const;
  uint32_t column_at(float x) const;
  float top_of(uint32_t warp) const { return plot.y + static_cast<float>(warp - first_warp) * pitch; }
  bool shows(uint32_t warp, uint32_t column) const;
  Box cell(uint32_t warp, uint32_t column) const;
};
TimelineLayout timeline_layout(const Focus& focus, const Canvas& canvas, const TimelineView& view);

/// The warp's instruction under the point, or where it waits the one before; nothing beside the rows.
std::optional<analysis::Moment> moment_at(const Focus& focus, const TimelineLayout& layout, Point point);

/// A row a warp, coloured by kind; barriers as walls, findings as flags, the k-tiles and phases of the cursor's warp
/// above. Where columns are narrower than a pixel a pixel has the kind that most of them are of, Other aside.
Picture timeline_picture(const Focus& focus, const Canvas& canvas, const TimelineView& view,
                         const TimelineContent& content);

}  // namespace tilescope::view
