#pragma once

#include <string>
#include <vector>

#include "run/traced_block.h"
#include "session/target.h"

namespace tilescope::view {

/// Something that a run or a checker found.
struct FindingRow {
  std::string title;        ///< "read-write-race on line 42"
  std::string source;       ///< Who says it: "racecheck".
  std::string message;      ///< What happened and what to do.
  int line = 0;             ///< CUDA line; 0 for none.
  session::Target element;  ///< None where no element is concerned.
};

struct FindingList {
  bool right = false;   ///< The result; where it is not verified, nothing was found.
  std::string summary;  ///< "C is right: 4 096 elements, largest error 3.1e-06, rounding allows 2.9e-05"
  std::vector<FindingRow> rows;
  std::string checked;  ///< What was looked at: "checkers: block (1, 0); C: all 4 blocks", or what is still to come.
};
/// Why the grid was not counted, or the block not checked.
struct Unfinished {
  Diagnostics counting, checking;
};
/// `counted` and `checked` are the same request over the whole grid and with all checkers; null before they are there,
/// and where `unfinished` says why they will not be.
FindingList finding_list(const run::TracedBlock& scene, const run::GridCounts* counted, const run::CheckResult* checked,
                         const Unfinished& unfinished = {});

/// The first byte's element of a finding; None where it has no array.
session::Target element_of(const run::TracedBlock& scene, const analysis::Finding& finding);

}  // namespace tilescope::view
