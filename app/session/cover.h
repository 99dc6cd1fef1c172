#pragma once

namespace tilescope::session {

/// What an open question of a lesson asks for, by kind: panels and pictures do not show it before it is answered.
struct Cover {
  bool counts = false;     ///< Sectors, wavefronts, conflicts, requests, words, instructions, active lanes.
  bool accesses = false;   ///< Which elements the lanes access, and which blocks compute what.
  bool resources = false;  ///< Threads, registers, shared memory, occupancy, and how many blocks there are.
  bool speed = false;      ///< Bounds, and measured times.
  bool findings = false;   ///< Of the checkers, and whether the result is right.
  /// Whether one warp's access is hidden: what it moves, or where it goes.
  bool access() const { return counts || accesses; }
  bool operator==(const Cover&) const = default;
};

}  // namespace tilescope::session
