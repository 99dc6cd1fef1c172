#include "source/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace tilescope::source {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80); }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool continues_word(char c) { return starts_word(c) || is_digit(c); }

/// Reads a text from its start; each `skip_` function moves past one thing at the position.
class TokenReader {
 public:
  explicit TokenReader(std::string_view text) : text_(text) {}

  Tokens read() {
    Tokens tokens;
    bool at_line_start = true;
    while (skip_blanks(at_line_start), position_ < text_.size()) {
      Token token{TokenKind::Mark, position_, 0};
      token.kind = at_line_start && text_[position_] == '#' ? skip_directive() : skip_token();
      token.end = position_;
      tokens.push_back(token);
      at_line_start = false;
    }
    return tokens;
  }

 private:
  char peek(size_t ahead = 0) const { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }

  /// Past a backslash at the end of a line, which joins it with the next.
  bool skip_splice() {
    if (peek() != '\\') return false;
    const size_t length = peek(1) == '\n' ? 2 : peek(1) == '\r' && peek(2) == '\n' ? 3 : 0;
    position_ += length;
    return length > 0;
  }

  bool skip_comment() {
    if (peek() != '/') return false;
    if (peek(1) == '/') {
      while (position_ < text_.size() && peek() != '\n')
        if (!skip_splice()) ++position_;
      return true;
    }
    if (peek(1) != '*') return false;
    const size_t end = text_.find("*/", position_ + 2);
    position_ = end == text_.npos ? text_.size() : end + 2;
    return true;
  }

  void skip_blanks(bool& at_line_start) {
    while (position_ < text_.size()) {
      if (skip_splice() || skip_comment()) continue;
      if (!std::isspace(static_cast<unsigned char>(peek()))) return;
      if (peek() == '\n') at_line_start = true;
      ++position_;
    }
  }

  TokenKind skip_directive() {
    while (position_ < text_.size() && peek() != '\n') {
      if (skip_splice() || skip_comment()) continue;
      if (peek() == '"')
        skip_quoted();
      else
        ++position_;
    }
    return TokenKind::Directive;
  }

  TokenKind skip_token() {
    const char c = peek();
    if (c == '"' || c == '\'') return skip_quoted();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return skip_number();
    if (starts_word(c)) return skip_word();
    ++position_;
    return TokenKind::Mark;
  }

  TokenKind skip_word() {
    const size_t begin = position_;
    while (position_ < text_.size() && continues_word(peek())) ++position_;
    const std::string_view word = text_.substr(begin, position_ - begin);
    constexpr std::array<std::string_view, 5> kRaw{"R", "LR", "uR", "UR", "u8R"};
    if (peek() == '"' && std::find(kRaw.begin(), kRaw.end(), word) != kRaw.end()) return skip_raw_string();
    return TokenKind::Word;
  }

  TokenKind skip_number() {
    for (++position_; position_ < text_.size(); ++position_) {
      const char last = static_cast<char>(std::tolower(static_cast<unsigned char>(text_[position_ - 1])));
      const bool sign = (peek() == '+' || peek() == '-') && (last == 'e' || last == 'p');
      if (!sign && !continues_word(peek()) && peek() != '.' && !(peek() == '\'' && continues_word(peek(1)))) break;
    }
    return TokenKind::Number;
  }

  TokenKind skip_quoted() {
    const char quote = peek();
    for (++position_; position_ < text_.size() && peek() != '\n'; ++position_) {
      if (peek() == quote) {
        ++position_;
        break;
      }
      if (peek() == '\\' && position_ + 1 < text_.size()) ++position_;
    }
    return TokenKind::Quoted;
  }

  // R"delimiter( ... )delimiter"
  TokenKind skip_raw_string() {
    const size_t open = text_.find_first_of("( )\\\t\v\f\n", position_);
    if (open == text_.npos || text_[open] != '(') return skip_quoted();
    const std::string close = ")" + std::string(text_.substr(position_ + 1, open - position_ - 1)) + "\"";
    const size_t end = text_.find(close, open);
    position_ = end == text_.npos ? text_.size() : end + close.size();
    return TokenKind::Quoted;
  }

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

Tokens tokenize(std::string_view text) { return TokenReader(text).read(); }

size_t closing(std::string_view text, const Tokens& tokens, size_t open) {
  std::vector<size_t> at_if;  // The depth at each open #if.
  size_t depth = 0;
  bool is_beside = false;  // In another branch of the #if that has `open`.
  for (size_t i = open; i < tokens.size(); ++i) {
    const std::string_view token = text_of(text, tokens[i]);
    if (tokens[i].kind == TokenKind::Directive) {
      const std::string_view name = parts_of_directive(token).name;
      if (name.starts_with("if")) {
        at_if.push_back(depth);
      } else if (at_if.empty()) {
        if (name.starts_with("el")) is_beside = true;
        if (name == "endif") is_beside = false;
      } else {
        if (name.starts_with("el")) depth = at_if.back();
        if (name == "endif") at_if.pop_back();
      }
    } else if (tokens[i].kind == TokenKind::Mark && !is_beside) {
      if (token == "(" || token == "[" || token == "{") ++depth;
      if ((token == ")" || token == "]" || token == "}") && --depth == 0) return i;
    }
  }
  return tokens.size();
}

size_t first_unclosed(std::string_view text, const Tokens& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = text_of(text, tokens[i]);
    if (tokens[i].kind != TokenKind::Mark || (token != "(" && token != "[" && token != "{")) continue;
    const size_t end = closing(text, tokens, i);
    if (end == tokens.size()) return i;
    i = end;
  }
  return tokens.size();
}

DirectiveParts parts_of_directive(std::string_view directive) {
  const size_t begin = std::min(directive.find_first_not_of("# \t"), directive.size());
  size_t end = begin;
  while (end < directive.size() && continues_word(directive[end])) ++end;
  const size_t rest = std::min(directive.find_first_not_of(" \t", end), directive.size());
  return {directive.substr(begin, end - begin), directive.substr(rest)};
}

bool has_main(std::string_view text) {
  const Tokens tokens = tokenize(text);
  for (size_t i = 0; i + 1 < tokens.size(); ++i)
    if (text_of(text, tokens[i]) == "main" && text_of(text, tokens[i + 1]) == "(") return true;
  return false;
}

}  // namespace tilescope::source
