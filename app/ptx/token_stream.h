#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "ptx/lexer.h"
#include "ptx/module.h"

namespace tilescope::ptx {

/// The tokens of one text, and the list for errors about them.
class TokenStream {
 public:
  TokenStream(std::string_view text, std::string file_name);

  const Token& peek() const { return token_; }
  /// The token after peek().
  Token peek_second() const;
  Token take();
  /// Whether peek() is a name with a ':' after it.
  bool at_label() const { return token_.kind == TokenKind::Identifier && lexer_.colon_follows(); }
  bool at_end() const { return token_.kind == TokenKind::End; }

  /// Consumes the token if it is this mark, word or directive (".reg").
  bool accept(std::string_view mark);
  bool accept_directive(std::string_view word);
  /// The same, with an error otherwise: "expected ';' after the instruction, found 'add'".
  bool expect(std::string_view mark, std::string_view where);
  /// Consumes an identifier, which errors call `what`, or reports an error.
  bool expect_name(std::string_view what, Token& name);
  /// Consumes an integer up to `limit`.
  bool expect_integer(std::string_view what, uint64_t limit, uint64_t& value);

  /// Reports and returns false, so that a parsing function can return it.
  bool error(const Token& at, std::string message);
  bool error_at_line(int32_t line, int32_t column, std::string message);
  void warn(const Token& at, std::string message);
  /// "expected WHAT, found 'x'".
  bool error_expected(std::string_view what);
  /// Whether there are too many errors to continue.
  bool gave_up() const;
  /// From here on the text comes from this place of the source.
  void set_source(const SourceLine& source) { source_ = source; }
  /// All of them, in the order of the text: at their places of the source, which `files` names, where they are known.
  Diagnostics diagnostics(const std::vector<std::string>& files) const;

  /// Skips past the next ';', or stops before the '}' that closes the scope or at the end.
  void skip_statement();
  /// Skips a '{', its contents and its '}'.
  void skip_braces();

 private:
  Diagnostic diagnostic(Severity severity, int32_t line, int32_t column, std::string message) const;
  std::string_view line_text(int32_t line) const;

  std::string_view text_;
  std::string file_name_;
  Lexer lexer_;
  Token token_;
  struct Problem {
    Diagnostic diagnostic;
    SourceLine source;
  };
  std::vector<Problem> problems_;
  SourceLine source_;
  size_t errors_ = 0;
  size_t taken_ = 0;
  mutable int32_t known_line_ = 1;  // Where the last error was looked up; errors mostly come in the order of the text.
  mutable size_t known_line_start_ = 0;
};

/// "'add'", "the end of the file"; long tokens are cut.
std::string describe(const Token& token);

}  // namespace tilescope::ptx
