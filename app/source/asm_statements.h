#pragma once

#include <string_view>
#include <vector>

namespace tilescope::source {

/// An asm statement of CUDA C++, from the line of its keyword to that of its closing parenthesis; lines count from 1.
struct AsmStatement {
  int first = 0, last = 0;
  std::vector<std::string_view> lines;  ///< Of the text, which must outlive it.

  bool has(int line) const { return first <= line && line <= last; }
  /// The first line that has this word of PTX, "mbarrier.try_wait" or "setp"; `first` if none has it.
  int line_of(std::string_view mnemonic) const;
};

/// In the order of the text; not those in comments and strings.
std::vector<AsmStatement> asm_statements(std::string_view text);

}  // namespace tilescope::source
