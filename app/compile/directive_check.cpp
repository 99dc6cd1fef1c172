#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "compile/request_check.h"

#include "base/text.h"

namespace tilescope::compile {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80); }
bool continues_word(char c) { return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }

// A name that can only be found below the searched folders.
bool is_plain_relative(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != name.npos) return false;
  for (;;) {
    const size_t end = name.find('/');
    if (name.substr(0, end) == "..") return false;
    if (end == name.npos) return true;
    name.remove_prefix(end + 1);
  }
}

/// Reads a source by translation phases 2 and 3 of C++, and checks only the directives.
class DirectiveScanner {
 public:
  explicit DirectiveScanner(const Request& request) : request_(request), text_(request.source) {
    if (text_.starts_with("\xef\xbb\xbf")) position_ = 3;
    splice();
  }

  Diagnostics scan() {
    // Up to C++14 they make a # or join lines.
    for (std::string_view trigraph : {"?\?=", "?\?/"})
      if (const size_t at = text_.find(trigraph); at != text_.npos)
        refuse(at,
               fmt::format("the trigraph {} is not accepted; write {}.", trigraph, trigraph == "?\?=" ? '#' : '\\'));
    bool at_line_start = true;
    while (skip_blanks(at_line_start), !at_end()) {
      const size_t start = position_;
      if (at_line_start && (accept("#") || accept("%:")))
        directive(start);
      else
        skip_token();
      at_line_start = false;
    }
    return std::move(found_);
  }

 private:
  bool at_end() const { return position_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[position_]; }

  void advance() {
    ++position_;
    splice();
  }

  // A backslash just before the end of a line joins it with the next. (With blanks between it does not: NVRTC's
  // front end says so in warning 1750.)
  void splice() {
    while (text_.substr(position_).starts_with("\\\n") || text_.substr(position_).starts_with("\\\r\n"))
      position_ += text_[position_ + 1] == '\n' ? 2 : 3;
  }

  bool accept(std::string_view word) {
    const size_t before = position_;
    for (char c : word) {
      if (peek() != c || at_end()) {
        position_ = before;
        return false;
      }
      advance();
    }
    return true;
  }

  bool skip_comment() {
    if (accept("//")) {
      while (!at_end() && peek() != '\n') advance();
      return true;
    }
    if (!accept("/*")) return false;
    while (!at_end() && !accept("*/")) advance();
    return true;
  }

  void skip_blanks_in_line() {
    while (!at_end() && ((is_blank(peek()) && (advance(), true)) || skip_comment())) {
    }
  }

  void skip_blanks(bool& at_line_start) {
    for (skip_blanks_in_line(); peek() == '\n' && !at_end(); skip_blanks_in_line()) {
      at_line_start = true;
      advance();
    }
  }

  std::string word() {
    std::string result;
    for (; !at_end() && continues_word(peek()); advance()) result += peek();
    return result;
  }

  // Up to the closing quote; one that is not closed ends with the line.
  void skip_quoted(char quote) {
    for (advance(); !at_end() && peek() != '\n'; advance()) {
      if (peek() == quote) return advance();
      if (peek() == '\\') advance();
      if (peek() == '\n') return;
    }
  }

  // R"delimiter( ... )delimiter": lines are not spliced inside.
  void skip_raw_string() {
    constexpr size_t kMaxDelimiter = 16;
    const size_t open = text_.find_first_of("( )\\\t\v\f\n", position_);
    if (open == text_.npos || text_[open] != '(' || open - position_ > kMaxDelimiter + 1) return skip_quoted('"');
    const std::string close = fmt::format("){}\"", text_.substr(position_ + 1, open - position_ - 1));
    const size_t end = text_.find(close, open);
    position_ = end == text_.npos ? text_.size() : end + close.size();
    splice();
  }

  // A number holds digits, letters, dots, signs after an exponent, and ' between digits.
  void skip_number() {
    while (!at_end() && (continues_word(peek()) || peek() == '.' || peek() == '\'')) {
      const char last = static_cast<char>(std::tolower(static_cast<unsigned char>(peek())));
      advance();
      if (last == '\'' && !continues_word(peek())) return;
      if ((last == 'e' || last == 'p') && (peek() == '+' || peek() == '-')) advance();
    }
  }

  /// Skips one token that is not a comment; returns it if it is a word.
  std::string skip_token() {
    const char c = peek();
    if (c == '"' || c == '\'') {
      skip_quoted(c);
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      skip_number();
    } else if (starts_word(c)) {
      const std::string name = word();
      static constexpr std::array<std::string_view, 5> kRaw{"R", "LR", "uR", "UR", "u8R"};
      if (peek() == '"' && std::find(kRaw.begin(), kRaw.end(), name) != kRaw.end()) skip_raw_string();
      return name;
    } else {
      advance();
    }
    return {};
  }

  void directive(size_t start) {
    skip_blanks_in_line();
    const std::string name = word();
    if (name == "include")
      include(start);
    else if (name == "include_next" || name == "embed" || name == "import" || name == "line")
      refuse(start, fmt::format("#{} is not accepted; {}.", name,
                                name == "line" ? "it would hide which line is meant: take it out"
                                               : "put what the kernel needs in this file"));
    else if (!name.empty() && std::isdigit(static_cast<unsigned char>(name.front())))
      refuse(start, "a line marker is not accepted; it would hide which line is meant: take it out.");
    else if (peek() == '\\')
      refuse(start, "a backslash with blanks behind it splits this directive; write it in one line.");
    rest_of_directive(name);
  }

  void rest_of_directive(const std::string& name) {
    const bool may_ask = name == "if" || name == "elif";
    for (skip_blanks_in_line(); !at_end() && peek() != '\n'; skip_blanks_in_line()) {
      const size_t start = position_;
      const std::string token = skip_token();
      if (name == "pragma" && token == "dependency")
        refuse(start, "#pragma GCC dependency is not accepted: it reads a file.");
      if (!token.starts_with("__has_include") && !token.starts_with("__has_embed")) continue;
      skip_blanks_in_line();
      const bool is_defined_test = name == "ifdef" || name == "ifndef" || (may_ask && peek() != '(');
      if (!is_defined_test) has_include(may_ask, start);
    }
  }

  void include(size_t start) {
    const std::string header = header_name();
    if (header.empty())
      refuse(start, "#include of a macro is not accepted; write the header's name.");
    else if (!is_plain_relative(std::string_view(header).substr(1, header.size() - 2)))
      refuse(start, fmt::format("#include {} is not accepted: only CUDA's own headers can be included, by their plain "
                                "names. Put what the kernel needs in this file.",
                                header));
  }

  void has_include(bool may_ask, size_t start) {
    const std::string header = may_ask && accept("(") ? header_name() : std::string{};
    if (header.empty() || !is_plain_relative(std::string_view(header).substr(1, header.size() - 2)))
      refuse(start, "__has_include is accepted only in #if and #elif, with the plain name of one of CUDA's headers.");
  }

  /// <name> or "name" with its marks; empty if neither is here.
  std::string header_name() {
    skip_blanks_in_line();
    const char open = peek();
    if (open != '<' && open != '"') return {};
    std::string name(1, open);
    for (advance(); !at_end() && peek() != '\n'; advance()) {
      name += peek();
      if (peek() == (open == '<' ? '>' : '"')) return advance(), name;
    }
    return {};
  }

  void refuse(size_t at, std::string message) {
    const auto [line, column] = line_and_column(text_, at);
    found_.push_back(
        error_at({request_.file_name, line, column}, std::move(message), std::string(line_at(text_, line))));
  }

  const Request& request_;
  std::string_view text_;
  size_t position_ = 0;
  Diagnostics found_;
};

}  // namespace

Diagnostics check_directives(const Request& request) { return DirectiveScanner(request).scan(); }

}  // namespace tilescope::compile
