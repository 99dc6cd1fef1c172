#include "ptx/lexer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>

#include "base/number.h"

namespace tilescope::ptx {
namespace {

enum CharClass : uint8_t { kOther = 0, kBlank = 1, kDigit = 2, kLetter = 4, kHex = 8, kMark = 16 };

// A table, because the lexer spends most of its time here; also independent of the locale.
constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (unsigned char c : {' ', '\t', '\r', '\v', '\f'}) classes[c] = kBlank;
  for (unsigned char c = '0'; c <= '9'; ++c) classes[c] = kDigit | kHex;
  for (unsigned char c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = kLetter;
  for (unsigned char c = 'a'; c <= 'f'; ++c) classes[c] = classes[c - 'a' + 'A'] = kLetter | kHex;
  classes['_'] = classes['$'] = kLetter;
  for (unsigned char c : std::string_view(",;:()[]{}<>@!+-*/%&|^~?=")) classes[c] = kMark;
  return classes;
}();

bool is(char c, unsigned classes) { return kClasses[static_cast<unsigned char>(c)] & classes; }
bool follows(char c) { return is(c, kLetter | kDigit); }

}  // namespace

Token Lexer::next() {
  skip_blanks();
  const char c = at(0);
  if (position_ >= text_.size()) return make(TokenKind::End, 0);
  if (is(c, kLetter) || (c == '%' && follows(at(1)))) return identifier();
  if (c == '.' && follows(at(1))) return dotted();
  if (is(c, kDigit)) return number();
  if (c == '"') return string();
  if (c == '/' && at(1) == '*') return make(TokenKind::Bad, text_.size() - position_);
  return mark();
}

bool Lexer::colon_follows() const {
  Lexer ahead = *this;
  ahead.skip_blanks();
  return ahead.at(0) == ':';
}

void Lexer::skip_blanks() {
  for (; position_ < text_.size(); ++position_) {
    const char c = text_[position_];
    if (is(c, kBlank)) continue;
    if (c == '\n') {
      ++line_;
      line_start_ = position_ + 1;
    } else if (c == '/' && at(1) == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size()) - 1;
    } else if (c == '/' && at(1) == '*') {
      if (!skip_block_comment()) return;
    } else {
      return;
    }
  }
}

// Leaves the position on the comment's last character, as skip_blanks() steps on by one.
bool Lexer::skip_block_comment() {
  const size_t end = text_.find("*/", position_ + 2);
  if (end == std::string_view::npos) return false;
  for (; position_ <= end; ++position_) {
    if (text_[position_] != '\n') continue;
    ++line_;
    line_start_ = position_ + 1;
  }
  return true;
}

Token Lexer::make(TokenKind kind, size_t length) {
  Token token{kind, line_, static_cast<int32_t>(position_ - line_start_) + 1, text_.substr(position_, length), 0};
  position_ += length;
  return token;
}

size_t Lexer::word_end(size_t offset) const {
  const char* const start = text_.data() + position_;
  const char* const end = text_.data() + text_.size();
  const char* c = start + offset;
  while (c != end && follows(*c)) ++c;
  return static_cast<size_t>(c - start);
}

Token Lexer::identifier() { return make(TokenKind::Identifier, word_end(1)); }

Token Lexer::dotted() {
  size_t length = word_end(1);
  while (at(length) == ':' && at(length + 1) == ':') length = word_end(length + 2);
  return make(TokenKind::Dotted, length);
}

Token Lexer::number() {
  const char second = at(0) == '0' ? at(1) : '\0';
  if (second == 'f' || second == 'F') return hexadecimal_float(TokenKind::Single, 8);
  if (second == 'd' || second == 'D') return hexadecimal_float(TokenKind::Double, 16);
  if (second == 'x' || second == 'X') return integer(2, 16);
  if (second == 'b' || second == 'B') return integer(2, 2);
  size_t length = 0;
  while (is(at(length), kDigit)) ++length;
  const bool exponent = at(length) == 'e' || at(length) == 'E';
  if (exponent || (at(length) == '.' && !is(at(length + 1), kLetter))) return decimal_float(length);
  return is(second, kDigit) ? integer(1, 8) : integer(0, 10);
}

Token Lexer::hexadecimal_float(TokenKind kind, size_t digits) {
  const size_t length = word_end(2);
  Token token = make(kind, length);
  const char* end = token.text.data() + token.text.size();
  const auto [stop, status] = std::from_chars(token.text.data() + 2, end, token.bits, 16);
  if (length != digits + 2 || stop != end || status != std::errc{}) token.kind = TokenKind::Bad;
  return token;
}

Token Lexer::integer(size_t prefix, unsigned base) {
  Token token = make(TokenKind::Integer, word_end(1));
  const size_t suffix = token.text.ends_with('U') ? 1 : 0;
  const char* end = token.text.data() + token.text.size() - suffix;
  const auto [stop, status] = std::from_chars(token.text.data() + prefix, end, token.bits, static_cast<int>(base));
  if (stop != end || status != std::errc{}) token.kind = TokenKind::Bad;
  return token;
}

Token Lexer::decimal_float(size_t length) {
  if (at(length) == '.') ++length;
  while (is(at(length), kDigit)) ++length;
  if (at(length) == 'e' || at(length) == 'E') {
    ++length;
    if (at(length) == '+' || at(length) == '-') ++length;
  }
  Token token = make(TokenKind::Double, word_end(length));
  const std::optional<double> value = whole_number_of(token.text);
  if (!value) token.kind = TokenKind::Bad;
  token.bits = std::bit_cast<uint64_t>(value.value_or(0));
  return token;
}

Token Lexer::string() {
  size_t length = 1;
  while (at(length) != '"' && at(length) != '\n' && position_ + length < text_.size())
    length += at(length) == '\\' && at(length + 1) != '\n' ? 2 : 1;
  if (at(length) != '"') return make(TokenKind::Bad, std::min(length, text_.size() - position_));
  Token token = make(TokenKind::String, length + 1);
  token.text = token.text.substr(1, length - 1);
  return token;
}

Token Lexer::mark() {
  const char first = at(0), second = at(1);
  const bool doubles = first == '<' || first == '>' || first == '=' || first == '&' || first == '|';
  const bool compares = second == '=' && (first == '<' || first == '>' || first == '!');
  const bool is_pair = (doubles && second == first) || compares;
  Token token = make(is(first, kMark) ? TokenKind::Punctuation : TokenKind::Bad, is_pair ? 2 : 1);
  token.bits = punctuation(token.text);
  return token;
}

}  // namespace tilescope::ptx
