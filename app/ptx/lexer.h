#pragma once

#include <cstdint>
#include <string_view>

namespace tilescope::ptx {

enum class TokenKind : uint8_t {
  End,
  Identifier,   ///< add, %r12, $L__BB0_1, _
  Dotted,       ///< .global, .shared::cta, .L2::128B: `text` has the dot.
  Integer,      ///< `bits` is the value.
  Single,       ///< 0f3F800000: `bits` are the float's.
  Double,       ///< 0d3FF0000000000000, 1.5, 1e3: `bits` are the double's.
  String,       ///< `text` without the quotes.
  Punctuation,  ///< `bits` is punctuation("<<") of the one or two characters.
  Bad,          ///< Not the start of a token, or a malformed number or string: see bad_token().
};

/// Code of a one- or two-character punctuation mark.
constexpr uint64_t punctuation(std::string_view mark) {
  const auto code = [&](size_t i) { return static_cast<uint64_t>(static_cast<unsigned char>(mark[i])); };
  return mark.size() > 1 ? code(0) | code(1) << 8 : code(0);
}

struct Token {
  TokenKind kind = TokenKind::End;
  int32_t line = 1, column = 1;  ///< From 1; the column in bytes.
  std::string_view text;         ///< Part of the text given to the lexer.
  uint64_t bits = 0;

  bool is(std::string_view mark) const { return kind == TokenKind::Punctuation && bits == punctuation(mark); }
  bool is_word(std::string_view word) const { return kind == TokenKind::Identifier && text == word; }
};

/// Splits a PTX text. Never fails: anything else becomes a Bad token, and the end token repeats.
/// A value type: a copy can look ahead.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();
  /// Whether the next token is a ':'.
  bool colon_follows() const;

 private:
  void skip_blanks();
  bool skip_block_comment();  ///< False, without moving, if the comment does not end.
  char at(size_t offset) const { return position_ + offset < text_.size() ? text_[position_ + offset] : '\0'; }
  /// Length of the token up to the first character, from `offset` on, that cannot be in a word.
  size_t word_end(size_t offset) const;
  Token make(TokenKind kind, size_t length);
  Token identifier();
  Token dotted();
  Token number();
  Token hexadecimal_float(TokenKind kind, size_t digits);
  Token integer(size_t prefix, unsigned base);
  Token decimal_float(size_t length);
  Token string();
  Token mark();

  std::string_view text_;
  size_t position_ = 0;
  size_t line_start_ = 0;
  int32_t line_ = 1;
};

}  // namespace tilescope::ptx
