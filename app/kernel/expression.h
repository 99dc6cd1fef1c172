#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tilescope::kernel {

/// An integer expression and where it stands. Operators as in C: + - * / % < <= > >= == != && || ! ?: and parentheses;
/// functions min(a, ...), max(a, ...) and ceil_div(a, b). Division truncates, as in C.
struct Expression {
  std::string text;
  Location at;
};

/// Names with their values, and the value of expressions over them. An expression is compiled when it is first
/// evaluated and kept, so that a search may evaluate it many thousand times.
class Scope {
 public:
  Scope();
  ~Scope();
  Scope(Scope&&) noexcept;

  /// Adds a name or gives it another value. Expressions compiled before a name was added do not know it.
  void set(const std::string& name, int64_t value);
  bool has(const std::string& name) const;
  int64_t get(const std::string& name) const;  ///< 0 when there is no such name.

  /// The value: exact, since whatever leaves +-2^53 on the way is an error. Other errors, each a sentence at the
  /// expression's place: a syntax error, an unknown name (the nearest is suggested), a division by zero.
  Result<int64_t> evaluate(const Expression& expression);

 private:
  struct Compiled;
  std::map<std::string, double> values_;
  std::map<std::string, std::unique_ptr<Compiled>> compiled_;
};

/// Whether `name` can be a name in an expression: a C identifier that is not one of its functions.
bool is_name(std::string_view name);

}  // namespace tilescope::kernel
