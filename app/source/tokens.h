#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

/// CUDA C++ text taken apart as far as needed to separate its device part from its host part. Nothing is compiled here,
/// and no text makes it fail: anything not understood is kept unchanged for the compiler.
namespace tilescope::source {

enum class TokenKind : uint8_t {
  Word,
  Number,
  Quoted,     ///< A string or a character, including raw strings.
  Mark,       ///< One character of punctuation.
  Directive,  ///< A whole preprocessor line, with the lines that a backslash joins to it.
};

/// A token's place in the text; comments and blanks are not tokens.
struct Token {
  TokenKind kind = TokenKind::Mark;
  size_t begin = 0, end = 0;
};
using Tokens = std::vector<Token>;

/// The tokens of a text, in order. Unclosed literals end with their line.
Tokens tokenize(std::string_view text);

/// The text of a token.
inline std::string_view text_of(std::string_view text, const Token& token) {
  return text.substr(token.begin, token.end - token.begin);
}

/// Whether a list of words contains this one.
template <class List>
bool holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// The index of the bracket that closes the (, [ or { at `open`; `tokens.size()` if none does. Where both branches of
/// an #if open or close brackets, the first counts.
size_t closing(std::string_view text, const Tokens& tokens, size_t open);

/// The index of the first bracket that none closes, outside of all that are closed; `tokens.size()` if there is none.
size_t first_unclosed(std::string_view text, const Tokens& tokens);

/// A preprocessor line's name, "define", and its rest.
struct DirectiveParts {
  std::string_view name, rest;
};
DirectiveParts parts_of_directive(std::string_view directive);

/// Whether the text of a program has a main() itself, not by way of a header or a macro.
bool has_main(std::string_view text);

}  // namespace tilescope::source
