#include "lesson/expression.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace tilescope::lesson {
namespace {

constexpr std::array<ExpressionFunction, 9> kFunctions{{{"min", 1, 16},
                                                        {"max", 1, 16},
                                                        {"floor", 1, 1},
                                                        {"ceil", 1, 1},
                                                        {"round", 1, 1},
                                                        {"abs", 1, 1},
                                                        {"sqrt", 1, 1},
                                                        {"log2", 1, 1},
                                                        {"ceil_div", 2, 2}}};
constexpr ExpressionLanguage kLessons{kFunctions, 500};

Diagnostic at_column(int column, std::string message) { return error_at({{}, 1, column}, std::move(message)); }

Result<Value> placed(Result<Value> result, int column) {
  if (result) return result;
  Diagnostics problems = result.errors();
  for (Diagnostic& problem : problems)
    if (problem.at.line == 0) problem.at = {{}, 1, column};
  return problems;
}

std::string member_list(const Object& object) {
  std::string list;
  for (const auto& [name, field] : object.fields) list += list.empty() ? name : fmt::format(", {}", name);
  return list;
}

/// How numbers, texts and objects behave, for ExpressionEvaluator.
struct LessonValues {
  using Value = lesson::Value;
  const Names& names;

  static Result<bool> is_true(const Value& value, const ExpressionNode& of) {
    const Result<double> held = number(value, of);
    if (!held) return held.errors();
    return *held != 0;
  }
  static Value truth(bool holds) { return Value(static_cast<double>(holds)); }

  Result<Value> apply(const ExpressionNode& node, std::span<const Value> of) const {
    switch (node.op) {
      case ExpressionOp::Number: return Value(node.number);
      case ExpressionOp::Text: return Value(node.text);
      case ExpressionOp::Name: return placed(names(node.text), node.column);
      case ExpressionOp::Member: return member(of[0], node);
      case ExpressionOp::Call: return call(of[0], of.subspan(1), node);
      case ExpressionOp::Equal:
      case ExpressionOp::Unequal: return equality(of[0], of[1], node);
      default: return arithmetic(of, node);
    }
  }

 private:
  static Result<double> number(const Value& value, const ExpressionNode& of) {
    if (const double* held = value.number()) return *held;
    return at_column(of.column, value.text() ? "This is a text; a number is needed here."
                                             : fmt::format("This is {}; add the member that is meant: {}.",
                                                           value.object()->what, member_list(*value.object())));
  }

  static Result<Value> member(const Value& owner, const ExpressionNode& node) {
    const Object* object = owner.object();
    if (!object) return at_column(node.column, fmt::format("A number or text has no member {}.", node.text));
    const auto found = object->fields.find(node.text);
    if (found != object->fields.end()) return found->second;
    return at_column(node.column,
                     fmt::format("{} has no member {}; it has {}.", object->what, node.text, member_list(*object)));
  }

  static Result<Value> call(const Value& callee, std::span<const Value> given, const ExpressionNode& node) {
    const Object* object = callee.object();
    if (!object || !object->call) return at_column(node.column, "What is before the parenthesis takes no arguments.");
    return placed(object->call({given.begin(), given.end()}), node.column);
  }

  static Result<Value> equality(const Value& left, const Value& right, const ExpressionNode& node) {
    const bool numbers = left.number() && right.number(), texts = left.text() && right.text();
    if (!numbers && !texts) return at_column(node.column, "Only two numbers or two texts can be compared.");
    const bool same = numbers ? *left.number() == *right.number() : *left.text() == *right.text();
    return truth(same == (node.op == ExpressionOp::Equal));
  }

  static Result<Value> arithmetic(std::span<const Value> of, const ExpressionNode& node) {
    std::vector<double> numbers;
    for (size_t i = 0; i < of.size(); ++i) {
      const Result<double> held = number(of[i], node.of[i]);
      if (!held) return held.errors();
      numbers.push_back(*held);
    }
    const bool divides = node.op == ExpressionOp::Divide || node.op == ExpressionOp::Remainder;
    if (divides && numbers[1] == 0) return error_at({{}, 1, node.column}, Message("This divides by zero."));
    return Value(node.op == ExpressionOp::Function ? function(node.text, numbers) : computed(node.op, numbers));
  }

  static double computed(ExpressionOp op, const std::vector<double>& of) {
    switch (op) {
      case ExpressionOp::Negate: return -of[0];
      case ExpressionOp::Not: return of[0] == 0;
      case ExpressionOp::Less: return of[0] < of[1];
      case ExpressionOp::LessEqual: return of[0] <= of[1];
      case ExpressionOp::Greater: return of[0] > of[1];
      case ExpressionOp::GreaterEqual: return of[0] >= of[1];
      case ExpressionOp::Add: return of[0] + of[1];
      case ExpressionOp::Subtract: return of[0] - of[1];
      case ExpressionOp::Multiply: return of[0] * of[1];
      case ExpressionOp::Divide: return of[0] / of[1];
      case ExpressionOp::Remainder: return std::fmod(of[0], of[1]);
      default: return std::pow(of[0], of[1]);
    }
  }

  static double function(std::string_view name, const std::vector<double>& of) {
    if (name == "min") return *std::min_element(of.begin(), of.end());
    if (name == "max") return *std::max_element(of.begin(), of.end());
    if (name == "floor") return std::floor(of[0]);
    if (name == "ceil") return std::ceil(of[0]);
    if (name == "round") return std::round(of[0]);
    if (name == "abs") return std::fabs(of[0]);
    if (name == "sqrt") return std::sqrt(of[0]);
    if (name == "log2") return std::log2(of[0]);
    return std::ceil(of[0] / of[1]);  // ceil_div
  }
};

using NamePath = std::vector<std::string>;

void add_paths(const ExpressionNode& node, std::vector<NamePath>& paths);

/// The path that ends in this node, empty if it is not a name; adds the paths of arguments and operands.
NamePath path_of(const ExpressionNode& node, std::vector<NamePath>& paths) {
  if (node.op == ExpressionOp::Name) return {node.text};
  const bool continues = node.op == ExpressionOp::Member || node.op == ExpressionOp::Call;
  for (size_t i = continues ? 1 : 0; i < node.of.size(); ++i) add_paths(node.of[i], paths);
  if (!continues) return {};
  NamePath path = path_of(node.of[0], paths);
  if (node.op == ExpressionOp::Member) path.push_back(node.text);
  return path;
}

void add_paths(const ExpressionNode& node, std::vector<NamePath>& paths) {
  NamePath path = path_of(node, paths);
  if (!path.empty()) paths.push_back(std::move(path));
}

}  // namespace

Result<Expression> Expression::parse(std::string_view text) {
  Result<ExpressionNode> root = parse_expression(text, kLessons);
  if (!root) return root.errors();
  return Expression(std::move(*root));
}

Result<Value> Expression::evaluate(const Names& names) const { return ExpressionEvaluator(LessonValues{names})(root_); }

bool Expression::has_names() const {
  bool found = false;
  for_each_node(root_, [&](const ExpressionNode& node) { found |= node.op == ExpressionOp::Name; });
  return found;
}

std::vector<std::vector<std::string>> Expression::paths() const {
  std::vector<NamePath> paths;
  add_paths(root_, paths);
  return paths;
}

Result<double> parse_number(std::string_view text) {
  const Result<Expression> expression = Expression::parse(text);
  const Diagnostic refusal = error(Message("\"{}\" is not a number. Write one, or a product such as 2*1024^3.", text));
  if (!expression || expression->has_names()) return refusal;
  const Result<Value> value = expression->evaluate(
      [](const std::string& name) -> Result<Value> { return error(fmt::format("There is no {}.", name)); });
  if (!value || !value->number() || !std::isfinite(*value->number())) return refusal;
  return *value->number();
}

}  // namespace tilescope::lesson
