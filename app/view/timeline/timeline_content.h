#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/copies_in_flight.h"
#include "analysis/findings.h"
#include "analysis/timeline.h"
#include "run/traced_block.h"
#include "session/target.h"

/// The contents of the timeline of a traced block, made once: the rows, and marks in them.
namespace tilescope::view {

/// The rows of a timeline as stretches of one kind, made once for a traced block: drawing takes time only for the
/// stretches.
struct TimelineRuns {
  /// From `slot` to the next one's.
  struct Run {
    uint32_t slot = 0;
    analysis::StepKind kind = analysis::StepKind::Other;
    bool waits = false;  ///< The warp issues nothing here.
    bool operator==(const Run&) const = default;
  };
  std::vector<std::vector<Run>> rows;  ///< The different ones; each ends with a run at the slot after the last.
  std::vector<uint32_t> row_of_warp;
  std::array<bool, analysis::kStepKinds> occurs{};  ///< By kind: some warp issues such an instruction.
};
TimelineRuns timeline_runs(const run::TracedBlock& traced);

/// A finding's place.
struct TimelineFlag {
  uint32_t warp = 0, slot = 0;
  uint32_t step = 0;     ///< The first at which that warp runs the instruction.
  uint32_t finding = 0;  ///< Index into the findings.
};
/// Of the findings whose warp and instruction the traced block has, by slot.
std::vector<TimelineFlag> timeline_flags(const run::TracedBlock& traced, const analysis::Findings& findings);

/// Steps of the highlighted target: those that access an element or a sector, or belong to a line.
struct TimelineMarks {
  static constexpr size_t kRecordsACall = 16384;
  struct Mark {
    uint32_t warp = 0, slot = 0;
    bool writes = false;
  };
  session::Target target = {};   ///< Their target.
  std::vector<Mark> marks = {};  ///< By warp, then slot.
  uint32_t warp = 0;             ///< The search continues with this warp's ...
  size_t next = 0;               ///< ... record, or straight line, of this number.
  bool complete = false;
};
/// Searches another part of the traced block for marks.target: a large trace takes longer than a frame.
void add_marks(const run::TracedBlock& traced, TimelineMarks& marks);

/// The drawn contents of a traced block and its findings.
struct TimelineContent {
  TimelineRuns runs;
  std::vector<TimelineFlag> flags;
  std::vector<analysis::CopiesInFlight> copies;
  std::vector<analysis::ProductsInFlight> products;
};
TimelineContent timeline_content(const run::TracedBlock& traced, const analysis::Findings& findings);

}  // namespace tilescope::view
