#include "kernel/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/nearest.h"
#include "base/text.h"

namespace tilescope::kernel {
namespace {

constexpr int64_t kLimit = int64_t{1} << 53;  // A double has every integer below it, and JSON's numbers are doubles.
constexpr std::array<ExpressionFunction, 3> kFunctions{{{"min", 1, 64}, {"max", 1, 64}, {"ceil_div", 2, 2}}};
constexpr ExpressionLanguage kIntegers{kFunctions, 300, true};

/// How integers behave, for ExpressionEvaluator.
struct Integers {
  using Value = int64_t;
  const std::map<std::string, int64_t>& names;

  static Result<bool> is_true(int64_t value, const ExpressionNode&) { return value != 0; }
  static int64_t truth(bool holds) { return holds; }

  Result<int64_t> apply(const ExpressionNode& node, std::span<const int64_t> of) const {
    switch (node.op) {
      case ExpressionOp::Number: return static_cast<int64_t>(node.number);
      case ExpressionOp::Name: return names.find(node.text)->second;
      case ExpressionOp::Negate: return -of[0];
      case ExpressionOp::Not: return of[0] == 0;
      case ExpressionOp::Function: return function(node.text, of);
      default: return binary(node.op, of[0], of[1]);
    }
  }

 private:
  static Result<int64_t> binary(ExpressionOp op, int64_t a, int64_t b) {
    if ((op == ExpressionOp::Divide || op == ExpressionOp::Remainder) && b == 0) return divides_by_zero();
    int64_t product = 0;
    switch (op) {
      case ExpressionOp::Equal: return a == b;
      case ExpressionOp::Unequal: return a != b;
      case ExpressionOp::Less: return a < b;
      case ExpressionOp::LessEqual: return a <= b;
      case ExpressionOp::Greater: return a > b;
      case ExpressionOp::GreaterEqual: return a >= b;
      case ExpressionOp::Add: return exact(a + b);
      case ExpressionOp::Subtract: return exact(a - b);
      case ExpressionOp::Divide: return a / b;
      case ExpressionOp::Remainder: return a % b;
      default: return exact(__builtin_mul_overflow(a, b, &product) ? kLimit : product);
    }
  }

  static Result<int64_t> function(std::string_view name, std::span<const int64_t> of) {
    if (name == "min") return *std::min_element(of.begin(), of.end());
    if (name == "max") return *std::max_element(of.begin(), of.end());
    if (of[1] == 0) return divides_by_zero();
    const int64_t rest = of[0] % of[1];
    return of[0] / of[1] + (rest != 0 && (rest > 0) == (of[1] > 0));
  }

  static Result<int64_t> exact(int64_t value) {
    if (value < kLimit && value > -kLimit) return value;
    return error(Message("A value leaves the range of exact integers, 2^53."));
  }
  static Diagnostic divides_by_zero() { return error(Message("This divides by zero.")); }
};

Message unknown_name(const std::string& name, const std::map<std::string, int64_t>& known) {
  std::vector<std::string> names;
  for (const auto& [each, value] : known) names.push_back(each);
  const std::string nearest = nearest_name(name, names);
  return nearest.empty()
             ? Message("{} is not a parameter, a derived value, M, N or K.", name)
             : Message("{} is not a parameter, a derived value, M, N or K; did you mean {}?", name, nearest);
}

Diagnostic refused(const std::string& text, const Message& problem) { return error(Message("\"{}\": {}", text, problem)); }

}  // namespace

void Variables::set(const std::string& name, int64_t value) {
  if (values_.insert_or_assign(name, value).second) parsed_.clear();
}

bool Variables::has(const std::string& name) const { return values_.contains(name); }

int64_t Variables::get(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? 0 : found->second;
}

const Result<ExpressionNode>& Variables::parsed(const std::string& text) {
  const auto found = parsed_.find(text);
  return found != parsed_.end() ? found->second : parsed_.emplace(text, parse(text)).first->second;
}

Result<ExpressionNode> Variables::parse(const std::string& text) const {
  if (trimmed(text).empty())
    return error(Message("This is empty: write a number, or an expression such as ceil_div(N, 256)."));
  Result<ExpressionNode> tree = parse_expression(text, kIntegers);
  if (!tree) return refused(text, tree.errors().front().message);
  std::optional<Message> problem;
  for_each_node(*tree, [&](const ExpressionNode& node) {
    if (node.op == ExpressionOp::Name && !values_.contains(node.text)) problem = unknown_name(node.text, values_);
  });
  if (problem) return refused(text, *problem);
  return tree;
}

Result<std::monostate> Variables::check(const Expression& expression) {
  const Result<ExpressionNode>& tree = parsed(expression.text);
  if (!tree) return error_at(expression.at, tree.errors().front().message);
  return std::monostate{};
}

Result<int64_t> Variables::evaluate(const Expression& expression) {
  const Result<ExpressionNode>& tree = parsed(expression.text);
  if (!tree) return error_at(expression.at, tree.errors().front().message);
  const Result<int64_t> value = ExpressionEvaluator(Integers{values_})(*tree);
  if (!value) return error_at(expression.at, refused(expression.text, value.errors().front().message).message);
  return *value;
}

Result<std::vector<std::string>> split_message(std::string_view message) {
  std::vector<std::string> pieces(1);
  for (const char c : message) {
    const bool in_braces = pieces.size() % 2 == 0;
    if (c == (in_braces ? '{' : '}')) return error(fmt::format("\"{}\": a brace has no partner.", message));
    if (c == '{' || c == '}')
      pieces.emplace_back();
    else
      pieces.back() += c;
  }
  if (pieces.size() % 2 == 0) return error(fmt::format("\"{}\": a brace has no partner.", message));
  return pieces;
}

Message fill_in(std::string_view message, Variables& scope) {
  const Result<std::vector<std::string>> pieces = split_message(message);
  if (!pieces) return message;
  std::string format;
  std::vector<Message::Argument> values;
  for (size_t i = 0; i < pieces->size(); ++i) {
    const std::string& piece = (*pieces)[i];
    format += i % 2 == 0 ? piece : "{}";
    if (i % 2 == 0) continue;
    const Result<int64_t> value = scope.evaluate({piece, {}});
    values.push_back(value ? Message::Argument(*value) : "?");
  }
  return Message::of_format(std::move(format), std::move(values));
}

bool is_name(std::string_view name) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !name.empty() && name.size() <= 64 && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), is_word) &&
         std::none_of(kFunctions.begin(), kFunctions.end(), [&](const auto& each) { return each.name == name; });
}

}  // namespace tilescope::kernel
