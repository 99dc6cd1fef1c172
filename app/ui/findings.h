#pragma once

#include "ui/context.h"
#include "ui/made.h"
#include "view/code/findings.h"

namespace tilescope::ui {

/// What the list depends on.
struct FindingsKey {
  Identity<run::TracedBlock> traced;
  Identity<run::GridCounts> counted;
  Identity<run::CheckResult> checked;
  session::Progress progress{};
  bool operator==(const FindingsKey&) const = default;
};

/// State of the panel between frames.
struct FindingsState {
  Made<FindingsKey, view::FindingList> list;
  size_t next = 0;  ///< The row that a key goes to.
};

/// What is wrong with an experiment's run; null before there is one, and while a question is about that.
const view::FindingList* findings_now(const Context& context, int experiment, FindingsState& kept);

/// Goes to the next finding with a place, after the last one to the first.
void go_to_next_finding(const Context& context, const view::FindingList& list, FindingsState& kept);

/// Whether C is right, and the checkers' findings; a click goes to the line and pins the element. Draws from ImGui's
/// cursor down.
void show_findings(const Context& context, int experiment, FindingsState& kept);

}  // namespace tilescope::ui
