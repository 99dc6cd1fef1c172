#pragma once

#include "base/diagnostic.h"

namespace tilescope {

/// Ends the program if a refusal is empty or not a sentence.
inline void demand_sentences(const Diagnostics& problems) {
  if (problems.empty()) __builtin_trap();
  for (const Diagnostic& problem : problems)
    if (problem.message.text().size() < 10 ||
        (problem.message.text().back() != '.' && problem.message.text().back() != '?'))
      __builtin_trap();
}

}  // namespace tilescope
