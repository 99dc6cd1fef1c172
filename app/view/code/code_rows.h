#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "view/code/code_lines.h"

namespace tilescope::view {

/// A row of the screen: bytes [begin, end) of a line, drawn from that column on.
struct CodeRow {
  int line = 0;
  uint32_t begin = 0, end = 0;
  int column = 0;
  bool first = true;  ///< Of its line.
  bool operator==(const CodeRow&) const = default;
};

/// How many characters a row holds: of a line without a figure at its right, and of one with.
struct CodeColumns {
  int all = 80, beside_figure = 80;
  bool operator==(const CodeColumns&) const = default;
};

/// Columns of the first bytes of a line, with tabs expanded.
int column_of(const std::string& line, size_t bytes);

/// The shown lines as rows: none is cut off at the right, continuations are indented further. A comment that only names
/// its line for lessons, "// [load A]", is left out if it does not fit.
std::vector<CodeRow> code_rows(const CodeSide& side, const CodeColumns& columns);
/// One line of any code by the same rules, as rows of at most that many characters, with the spaces before them.
std::vector<std::string> wrapped_code(const std::string& line, int columns);

}  // namespace tilescope::view
