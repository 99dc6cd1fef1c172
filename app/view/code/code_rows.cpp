#include "view/code/code_rows.h"

#include <algorithm>

namespace tilescope::view {
namespace {

constexpr int kTab = 2;  ///< NVRTC sets a tab before and after every opcode.
constexpr int kHanging = 4, kFewest = 12;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// The end of a line without a comment that only names it.
size_t end_without_name(const std::string& line) {
  const size_t comment = line.rfind("// [");
  if (comment == std::string::npos || line.back() != ']') return line.size();
  size_t end = comment;
  while (end > 0 && is_space(line[end - 1])) --end;
  return end > 0 ? end : line.size();
}

/// Splits one line.
class Cutter {
 public:
  Cutter(int line, const std::string& text, int first_row, int columns)
      : line_(line), text_(text), first_row_(first_row), columns_(columns) {}

  void cut(std::vector<CodeRow>& rows) {
    size_t end = text_.size();
    if (column_of(text_, end) > first_row_) end = end_without_name(text_);
    size_t first = std::min(text_.find_first_not_of(" \t"), end);
    // A split line begins so far to the left that its first row has room.
    const int most = column_of(text_, end) > first_row_ ? std::max(0, first_row_ - kFewest) : first_row_;
    const int indent = std::min(column_of(text_, first), most);
    const int further = std::max(0, std::min(indent + kHanging, columns_ - kFewest));
    int column = indent;
    for (bool begins = true; begins || first < end; begins = false, column = further) {
      const size_t stop = stop_of(first, end, std::max((begins ? first_row_ : columns_) - column, kFewest));
      rows.push_back({line_, static_cast<uint32_t>(first), static_cast<uint32_t>(stop), column, begins});
      first = stop;
      while (first < end && is_space(text_[first])) ++first;
    }
  }

 private:
  int columns_between(size_t from, size_t to) const { return column_of(text_, to) - column_of(text_, from); }

  /// The end of a row that begins at `first`: at the last space that leaves it at least a third full, else after a
  /// comma, an opening parenthesis or a closing bracket, else where it is full.
  size_t stop_of(size_t first, size_t end, int room) const {
    if (columns_between(first, end) <= room) return end;
    size_t full = first, space = first, comma = first;
    for (size_t at = first; at < end && columns_between(first, at) <= room; ++at) {
      if (!begins_character(text_[at])) continue;
      full = at;
      if (is_space(text_[at])) space = at;
      if (at > first && (text_[at - 1] == ',' || text_[at - 1] == '(' || text_[at - 1] == ']')) comma = at;
    }
    for (const size_t stop : {space, comma})
      if (columns_between(first, stop) * 3 >= room) return stop;
    return full;
  }

  int line_;
  const std::string& text_;
  int first_row_, columns_;
};

}  // namespace

int column_of(const std::string& line, size_t bytes) {
  int column = 0;
  for (size_t i = 0; i < std::min(bytes, line.size()); ++i) {
    if (line[i] == '\t')
      column += kTab - column % kTab;
    else if (begins_character(line[i]))
      ++column;
  }
  return column;
}

std::vector<CodeRow> code_rows(const CodeSide& side, const CodeColumns& columns) {
  std::vector<CodeRow> rows;
  rows.reserve(side.shown.size());
  for (const int line : side.shown) {
    const std::string& text = side.text.lines[static_cast<size_t>(line) - 1];
    const int room = side.of(line).figure.empty() ? columns.all : columns.beside_figure;
    Cutter(line, text, std::max(room, kFewest), std::max(columns.all, kFewest)).cut(rows);
  }
  return rows;
}

std::vector<std::string> wrapped_code(const std::string& line, int columns) {
  std::vector<CodeRow> rows;
  Cutter(1, line, std::max(columns, kFewest), std::max(columns, kFewest)).cut(rows);
  std::vector<std::string> texts;
  for (const CodeRow& row : rows)
    texts.push_back(std::string(static_cast<size_t>(row.column), ' ') + line.substr(row.begin, row.end - row.begin));
  return texts;
}

}  // namespace tilescope::view
