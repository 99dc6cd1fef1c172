#pragma once

#include <string>
#include <vector>

#include "run/traced_block.h"
#include "session/target.h"

namespace tilescope::view {

/// A finding of a run or a checker.
struct FindingRow {
  std::string title;        ///< "read-write-race on line 42"
  std::string source;       ///< Its source: "racecheck".
  std::string message;      ///< What happened and how to fix it.
  int line = 0;             ///< CUDA line; 0 for none.
  session::Target element;  ///< None if no element is concerned.
  std::string kind = {};    ///< "read-write-race"; empty if it is not a checker's.
  bool unproved = false;    ///< It depends on a guess, and so accuses nobody.
};

struct FindingList {
  bool right = false;     ///< The result is right; if not verified, nothing was found.
  bool wrong = false;     ///< The result is wrong, something was found, or the run did not end by itself.
  bool verified = false;  ///< The result was compared with what it should be.
  size_t count = 0;       ///< The findings that `verdict` counts; 1 where it only says that something is wrong.
  std::string verdict;    ///< In a few words: "C is right in 16 of 1 024 blocks", "C is wrong · 2 races"
  std::string summary;    ///< "C is right: 4 096 elements, largest error 3.1e-06, rounding allows 2.9e-05"
  std::vector<FindingRow> rows;
  std::string checked;  ///< What was checked: "checkers: block (1, 0); C: all 4 blocks", or what is pending.
};
/// Why the grid was not counted, or the block not checked.
struct Unfinished {
  Diagnostics counting, checking;
};
/// `counted` and `checked` are the same request over the whole grid and with all checkers; null before they are there,
/// and where `unfinished` says why they will not be.
FindingList finding_list(const run::TracedBlock& traced, const run::GridCounts* counted,
                         const run::CheckResult* checked, const Unfinished& unfinished = {});

/// Where the result is wrong, as far as it is known: of the whole grid, or of the traced block. Null: it is not
/// verified.
const run::Verification* verification_of(const run::TracedBlock& traced, const run::GridCounts* counted);

/// The element of a finding's first byte; None if it has no array.
session::Target element_of(const run::TracedBlock& traced, const analysis::Finding& finding);

}  // namespace tilescope::view
