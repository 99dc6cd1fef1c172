#include "ptx/token_stream.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ptx/problem.h"

namespace tilescope::ptx {
namespace {

constexpr size_t kMaxSyntaxErrors = 1000;
constexpr size_t kMaxTokens = 8'000'000;  // What is parsed from them takes about a gigabyte then.
constexpr size_t kMaxShownLine = 400;
constexpr size_t kMaxShownToken = 60;

std::string bad_token(const Token& token) {
  const char c = token.text.empty() ? '\0' : token.text[0];
  if (c == '"') return "this string does not end on its line; close it with a quote";
  if (c == '/') return "this comment does not end; close it with */";
  if (c == '#') return "preprocessor lines are not read; run the preprocessor first";
  if (c >= '0' && c <= '9')
    return fmt::format("{} is not a number: an integer has at most 64 bits, 0f takes 8 hexadecimal digits and 0d 16",
                       describe(token));
  if (c >= ' ' && c <= '~') return fmt::format("unexpected character {}", describe(token));
  return fmt::format("unexpected byte 0x{:02x}", static_cast<unsigned char>(c));
}

}  // namespace

std::string describe(const Token& token) {
  if (token.kind == TokenKind::End) return "the end of the file";
  if (token.kind == TokenKind::String) return "a string";
  if (token.text.size() <= kMaxShownToken) return fmt::format("'{}'", token.text);
  return fmt::format("'{}...'", token.text.substr(0, kMaxShownToken));
}

TokenStream::TokenStream(std::string_view text, std::string file_name)
    : text_(text), file_name_(std::move(file_name)), lexer_(text), token_(lexer_.next()) {}

Token TokenStream::peek_second() const {
  Lexer ahead = lexer_;
  return ahead.next();
}

Token TokenStream::take() {
  const Token taken = token_;
  if (++taken_ <= kMaxTokens) {
    token_ = lexer_.next();
  } else if (!at_end()) {
    error(token_, "the text is too long; split it into modules of one kernel each");
    token_.kind = TokenKind::End;
  }
  return taken;
}

bool TokenStream::accept(std::string_view mark) {
  if (!token_.is(mark)) return false;
  take();
  return true;
}

bool TokenStream::accept_directive(std::string_view word) {
  if (token_.kind != TokenKind::Dotted || token_.text != word) return false;
  take();
  return true;
}

bool TokenStream::expect(std::string_view mark, std::string_view where) {
  return accept(mark) || error_expected(fmt::format("'{}' {}", mark, where));
}

bool TokenStream::expect_name(std::string_view what, Token& name) {
  if (token_.kind != TokenKind::Identifier) return error_expected(what);
  name = take();
  return true;
}

bool TokenStream::expect_integer(std::string_view what, uint64_t limit, uint64_t& value) {
  if (token_.kind != TokenKind::Integer) return error_expected(what);
  if (token_.bits > limit) return error(token_, fmt::format("{} is at most {} here, not {}", what, limit, token_.bits));
  value = take().bits;
  return true;
}

bool TokenStream::error(const Token& at, std::string message) {
  return error_at_line(at.line, at.column, std::move(message));
}

bool TokenStream::error_at_line(int32_t line, int32_t column, std::string message) {
  if (++errors_ <= kMaxSyntaxErrors)
    problems_.push_back({diagnostic(Severity::Error, line, column, std::move(message)), source_});
  return false;
}

void TokenStream::warn(const Token& at, std::string message) {
  if (problems_.size() < 2 * kMaxSyntaxErrors)
    problems_.push_back({diagnostic(Severity::Warning, at.line, at.column, std::move(message)), source_});
}

bool TokenStream::error_expected(std::string_view what) {
  if (token_.kind == TokenKind::Bad) return error(token_, bad_token(token_));
  return error(token_, fmt::format("expected {}, found {}", what, describe(token_)));
}

Diagnostics TokenStream::diagnostics(const std::vector<std::string>& files) const {
  std::vector<Problem> sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Problem& a, const Problem& b) { return a.diagnostic.at.line < b.diagnostic.at.line; });
  Diagnostics diagnostics;
  for (Problem& problem : sorted) {
    place_in_source(problem.diagnostic, problem.source, files);
    diagnostics.push_back(std::move(problem.diagnostic));
  }
  return diagnostics;
}

bool TokenStream::gave_up() const { return errors_ > kMaxSyntaxErrors; }

// A '}' before ',' or ';' closes a vector operand, not the scope.
void TokenStream::skip_statement() {
  for (int depth = 0; !at_end();) {
    if (accept(";")) return;
    if (token_.is("{")) ++depth;
    if (token_.is("}") && --depth < 0) {
      const Token after = peek_second();
      if (!after.is(",") && !after.is(";")) return;
      depth = 0;
    }
    take();
  }
}

void TokenStream::skip_braces() {
  int depth = 0;
  while (!at_end()) {
    const Token token = take();
    depth += token.is("{");
    if (token.is("}") && --depth <= 0) return;
  }
}

Diagnostic TokenStream::diagnostic(Severity severity, int32_t line, int32_t column, std::string message) const {
  return {severity, {file_name_, line, column}, std::move(message), std::string(line_text(line))};
}

std::string_view TokenStream::line_text(int32_t line) const {
  if (line < known_line_) {
    known_line_ = 1;
    known_line_start_ = 0;
  }
  for (; known_line_ < line; ++known_line_) known_line_start_ = text_.find('\n', known_line_start_) + 1;
  std::string_view shown = text_.substr(known_line_start_, kMaxShownLine + 1);
  shown = shown.substr(0, shown.find('\n'));
  if (shown.ends_with('\r')) shown.remove_suffix(1);
  return shown.size() <= kMaxShownLine ? shown : std::string_view{};
}

}  // namespace tilescope::ptx
