#include "source/asm_statements.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace tilescope::source {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Whether the line has the word, not as part of a longer one: "ld" in "ld.shared" but not in "ldmatrix".
bool has_mnemonic(std::string_view line, std::string_view mnemonic) {
  for (size_t at = line.find(mnemonic); at != std::string_view::npos; at = line.find(mnemonic, at + 1)) {
    const size_t end = at + mnemonic.size();
    const bool begins = at == 0 || (!is_word(line[at - 1]) && line[at - 1] != '.');
    // "\n" before an opcode in a string is two characters of the source.
    const bool after_escape = at >= 2 && line[at - 2] == '\\' && (line[at - 1] == 'n' || line[at - 1] == 't');
    if ((begins || after_escape) && (end == line.size() || !is_word(line[end]))) return true;
  }
  return false;
}

/// Walks over a text, skipping comments and strings.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }
  char here() const { return at_end() ? '\0' : text_[at_]; }
  size_t place() const { return at_; }
  /// To the next character that is code.
  void next() {
    ++at_;
    skip();
  }
  void skip() {
    while (!at_end()) {
      if (text_.substr(at_, 2) == "//")
        to_end_of(text_.find('\n', at_), 0);
      else if (text_.substr(at_, 2) == "/*")
        to_end_of(text_.find("*/", at_ + 2), 2);
      else if (text_[at_] == '"' || (text_[at_] == '\'' && (at_ == 0 || !is_word(text_[at_ - 1]))))
        quoted(text_[at_]);
      else
        return;
    }
  }
  std::string_view word() {
    const size_t begin = at_;
    while (!at_end() && is_word(text_[at_])) ++at_;
    const std::string_view found = text_.substr(begin, at_ - begin);
    skip();
    return found;
  }

 private:
  void to_end_of(size_t found, size_t length) { at_ = found == std::string_view::npos ? text_.size() : found + length; }
  void quoted(char quote) {
    for (++at_; !at_end() && text_[at_] != quote; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::vector<std::string_view> lines_of_text(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

int AsmStatement::line_of(std::string_view mnemonic) const {
  for (size_t i = 0; i < lines.size(); ++i)
    if (has_mnemonic(lines[i], mnemonic)) return first + static_cast<int>(i);
  return first;
}

std::vector<AsmStatement> asm_statements(std::string_view text) {
  std::vector<AsmStatement> statements;
  const std::vector<std::string_view> lines = lines_of_text(text);
  Scanner scanner(text);
  for (scanner.skip(); !scanner.at_end();) {
    if (!is_word(scanner.here())) {
      scanner.next();
      continue;
    }
    const size_t begin = scanner.place();
    if (const std::string_view word = scanner.word(); word != "asm" && word != "__asm__" && word != "__asm") continue;
    while (!scanner.at_end() && (is_word(scanner.here()) || std::isspace(static_cast<unsigned char>(scanner.here()))))
      scanner.next();
    if (scanner.here() != '(') continue;
    int depth = 0;
    size_t end = scanner.place();
    do {
      depth += scanner.here() == '(' ? 1 : scanner.here() == ')' ? -1 : 0;
      end = scanner.place();
      scanner.next();
    } while (depth > 0 && !scanner.at_end());
    AsmStatement statement{line_of(text, begin), line_of(text, end), {}};
    statement.lines.assign(lines.begin() + statement.first - 1, lines.begin() + statement.last);
    statements.push_back(std::move(statement));
  }
  return statements;
}

}  // namespace tilescope::source
