#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/expression.h"
#include "base/result.h"

namespace tilescope::lesson {

struct Object;
/// A number (a condition is 1 or 0), a text, or something with members.
class Value {
 public:
  Value(double number) : state_(number) {}
  Value(std::string text) : state_(std::move(text)) {}
  Value(std::shared_ptr<const Object> object) : state_(std::move(object)) {}

  const double* number() const { return std::get_if<double>(&state_); }
  const std::string* text() const { return std::get_if<std::string>(&state_); }
  const Object* object() const;

 private:
  std::variant<double, std::string, std::shared_ptr<const Object>> state_;
};

/// What `name.member` and `name(arguments)` reach.
struct Object {
  std::string what;  ///< "a global load count": for messages.
  std::map<std::string, Value> fields;
  std::function<Result<Value>(const std::vector<Value>&)> call;  ///< Empty: not callable.
};
inline const Object* Value::object() const {
  const auto* held = std::get_if<std::shared_ptr<const Object>>(&state_);
  return held ? held->get() : nullptr;
}

/// The names at the start of paths. An unknown one is an error, preferably with the nearest known one.
using Names = std::function<Result<Value>(const std::string&)>;

/// An expression of a lesson. Operators as in C: + - * / % < <= > >= == != && || ! ?: and parentheses, and ^ for
/// powers, over double numbers; / does not truncate. Texts are in double or single quotes. `a.b` is a member, `a(b,
/// c)` a call. Functions everywhere: min, max, floor, ceil, round, abs, sqrt, log2, ceil_div.
class Expression {
 public:
  /// The error's column counts from 1 in `text`.
  static Result<Expression> parse(std::string_view text);

  /// The current value. Errors have a column.
  Result<Value> evaluate(const Names& names) const;
  /// Whether it has any name other than a function's: otherwise its value is written down, not computed.
  bool has_names() const;
  /// Each name in it, except functions, with its members: "at", "lane", "row" of at("load A").lane(0).row.
  std::vector<std::vector<std::string>> paths() const;

 private:
  explicit Expression(ExpressionNode root) : root_(std::move(root)) {}
  ExpressionNode root_;
};

/// The value of an expression without names, a number typed by a student, such as "2*1024^3" or "17.2e9".
Result<double> parse_number(std::string_view text);

}  // namespace tilescope::lesson
