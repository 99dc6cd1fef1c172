#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/expression.h"
#include "base/result.h"

namespace tilescope::kernel {

/// An integer expression and its place. Operators as in C: + - * / % < <= > >= == != && || ! ?: and parentheses;
/// functions min(a, ...), max(a, ...) and ceil_div(a, b). Division truncates, and what does not count is not computed,
/// as in C.
struct Expression {
  std::string text;
  Location at;
};

/// Names with their values, and the value of expressions over them. An expression is parsed when it is first evaluated
/// and kept, so that a search may evaluate it many thousand times.
class Variables {
 public:
  /// Adds a name or gives it another value, which must be exact: at most 2^53.
  void set(const std::string& name, int64_t value);
  bool has(const std::string& name) const;
  int64_t get(const std::string& name) const;  ///< 0 when there is no such name.

  /// Whether the expression is well formed and all its names are here. The error has the expression's place;
  /// of an unknown name it suggests the nearest.
  Result<std::monostate> check(const Expression& expression);
  /// The value: exact, since whatever leaves +-2^53 on the way is an error, as is a division by zero, and what
  /// check() refuses.
  Result<int64_t> evaluate(const Expression& expression);

 private:
  /// The expression's tree; the error is the whole sentence, without a place.
  const Result<ExpressionNode>& parsed(const std::string& text);
  Result<ExpressionNode> parse(const std::string& text) const;

  std::map<std::string, int64_t> values_;
  std::map<std::string, Result<ExpressionNode>> parsed_;
};

/// A sentence with expressions in braces, "BM = {BM}", cut up: text and expressions take turns, text first.
/// The error says that a brace has no partner.
Result<std::vector<std::string>> split_message(std::string_view message);
/// The sentence with each expression's value in its place, "?" where it has none: "BM = {}" filled with 64, so that a
/// translation has the same fields whatever the expressions are.
Message fill_in(std::string_view message, Variables& scope);

/// Whether `name` can be a name in an expression: a C identifier that is not one of its functions.
bool is_name(std::string_view name);

}  // namespace tilescope::kernel
