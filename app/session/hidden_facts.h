#pragma once

namespace tilescope::session {

/// The facts that open questions of a lesson are about, by kind: panels and pictures do not show them before the
/// answer.
struct HiddenFacts {
  bool counts = false;     ///< Sectors, wavefronts, conflicts, requests, words, instructions, active lanes.
  bool totals = false;     ///< The same, except those of the request at the cursor: figures of lines and of the run.
  bool accesses = false;   ///< Which elements the lanes access, and which blocks compute what.
  bool resources = false;  ///< Threads, registers, shared memory, occupancy, and how many blocks there are.
  bool speed = false;      ///< Bounds, and measured times.
  bool findings = false;   ///< Of the checkers, and whether the result is right.
  bool defect = false;     ///< What is unusual about the kernel: the question is which line has it.
  /// The step, from 1, of the nearest later question that has each of them covered; 0 where only the open step's own
  /// has.
  struct Steps {
    int counts = 0, totals = 0, accesses = 0, resources = 0, speed = 0, findings = 0, defect = 0;
    bool operator==(const Steps&) const = default;
  } asked_in = {};
  /// Whether one warp's access is hidden: its size or its place.
  bool access() const { return counts || accesses; }
  /// Whether the figures of lines and of the whole run are hidden.
  bool figures() const { return counts || totals; }
  bool operator==(const HiddenFacts&) const = default;
};

}  // namespace tilescope::session
