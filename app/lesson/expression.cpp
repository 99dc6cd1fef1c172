#include "lesson/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/nearest.h"

namespace tilescope::lesson {

enum class NodeKind { Number, String, Name, Member, Call, Unary, Binary, Choose };

struct Expression::Node {
  NodeKind kind = NodeKind::Number;
  int column = 0;
  double number = 0;
  std::string text;  // a text, a name, a member or an operator
  std::vector<std::unique_ptr<Node>> children;
};

Expression::Expression(std::unique_ptr<Node> root) : root_(std::move(root)) {}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

namespace {
constexpr size_t kLongest = 500;
constexpr int kDeepestExpression = 60;

Diagnostic at_column(int column, std::string message) { return error_at({{}, 1, column}, std::move(message)); }

struct Level {
  std::vector<std::string_view> operators;
};
// Lowest precedence first. Longer operators come before their prefixes.
const std::array<Level, 6> kLevels{
    {{{"||"}}, {{"&&"}}, {{"==", "!="}}, {{"<=", ">=", "<", ">"}}, {{"+", "-"}}, {{"*", "/", "%"}}}};

struct BuiltIn {
  std::string_view name;
  size_t least, most;
  double (*compute)(const std::vector<double>&);
};
const std::array<BuiltIn, 9> kFunctions{{
    {"min", 1, 16, [](const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }},
    {"max", 1, 16, [](const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }},
    {"floor", 1, 1, [](const std::vector<double>& v) { return std::floor(v[0]); }},
    {"ceil", 1, 1, [](const std::vector<double>& v) { return std::ceil(v[0]); }},
    {"round", 1, 1, [](const std::vector<double>& v) { return std::round(v[0]); }},
    {"abs", 1, 1, [](const std::vector<double>& v) { return std::fabs(v[0]); }},
    {"sqrt", 1, 1, [](const std::vector<double>& v) { return std::sqrt(v[0]); }},
    {"log2", 1, 1, [](const std::vector<double>& v) { return std::log2(v[0]); }},
    {"ceil_div", 2, 2, [](const std::vector<double>& v) { return std::ceil(v[0] / v[1]); }},
}};

const BuiltIn* find_function(std::string_view name) {
  const auto found =
      std::find_if(kFunctions.begin(), kFunctions.end(), [&](const BuiltIn& f) { return f.name == name; });
  return found == kFunctions.end() ? nullptr : &*found;
}

bool is_word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

/// Recursive descent. `problem_` is set once; later results are discarded.
class ExpressionParser {
 public:
  using Node = Expression::Node;
  using NodePointer = std::unique_ptr<Node>;
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Result<Expression> parse() {
    if (text_.size() > kLongest)
      return at_column(1, fmt::format("This expression is longer than {} characters.", kLongest));
    NodePointer root = choose();
    skip_spaces();
    if (!problem_ && at_ < text_.size()) fail(fmt::format("\"{}\" is not expected here.", text_.substr(at_, 12)));
    if (problem_) return *problem_;
    return Expression(std::move(root));
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  int column() const { return static_cast<int>(at_) + 1; }
  NodePointer fail(std::string message) {
    if (!problem_) problem_ = at_column(column(), std::move(message));
    return std::make_unique<Node>();
  }
  bool take(std::string_view token) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail(fmt::format("\"{}\" is missing here.", token));
  }
  NodePointer make(NodeKind kind, std::string text, int column) const {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->text = std::move(text);
    node->column = column;
    return node;
  }

  NodePointer choose() {
    if (++depth_ > kDeepestExpression) return fail("This expression is nested too deeply.");
    NodePointer condition = binary(0);
    const int where = column();
    if (!problem_ && take("?")) {
      NodePointer node = make(NodeKind::Choose, "?", where);
      node->children.push_back(std::move(condition));
      node->children.push_back(choose());
      expect(":");
      node->children.push_back(choose());
      condition = std::move(node);
    }
    --depth_;
    return condition;
  }

  NodePointer binary(size_t level) {
    if (level == kLevels.size()) return unary();
    NodePointer left = binary(level + 1);
    while (!problem_) {
      skip_spaces();
      const int where = column();
      const auto& operators = kLevels[level].operators;
      const auto found = std::find_if(operators.begin(), operators.end(), [&](std::string_view o) { return take(o); });
      if (found == operators.end()) break;
      NodePointer node = make(NodeKind::Binary, std::string(*found), where);
      node->children.push_back(std::move(left));
      node->children.push_back(binary(level + 1));
      left = std::move(node);
    }
    return left;
  }

  NodePointer unary() {
    skip_spaces();
    const int where = column();
    for (const std::string_view sign : {"-", "!"})
      if (take(sign)) {
        if (++depth_ > kDeepestExpression) return fail("This expression is nested too deeply.");
        NodePointer node = make(NodeKind::Unary, std::string(sign), where);
        node->children.push_back(unary());
        --depth_;
        return node;
      }
    return power();
  }

  NodePointer power() {
    NodePointer base = postfix();
    skip_spaces();
    const int where = column();
    if (problem_ || !take("^")) return base;
    NodePointer node = make(NodeKind::Binary, "^", where);
    node->children.push_back(std::move(base));
    node->children.push_back(unary());
    return node;
  }

  NodePointer postfix() {
    NodePointer node = primary();
    while (!problem_) {
      skip_spaces();
      const int where = column();
      if (take("."))
        node = member(std::move(node), where);
      else if (take("("))
        node = call(std::move(node), where);
      else
        break;
    }
    return node;
  }

  NodePointer member(NodePointer object, int where) {
    skip_spaces();
    NodePointer node = make(NodeKind::Member, word(), where + 1);
    if (node->text.empty()) return fail("The name of a member is missing here.");
    node->children.push_back(std::move(object));
    return node;
  }

  NodePointer call(NodePointer callee, int where) {
    NodePointer node = make(NodeKind::Call, "(", where);
    node->children.push_back(std::move(callee));
    if (take(")")) return node;
    do node->children.push_back(choose());
    while (!problem_ && take(","));
    expect(")");
    return node;
  }

  std::string word() {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  NodePointer primary() {
    skip_spaces();
    const int where = column();
    if (at_ == text_.size()) return fail("The expression ends too early.");
    const char c = text_[at_];
    if (c == '"' || c == '\'') return quoted(c);
    if (is_word_start(c)) return make(NodeKind::Name, word(), where);
    if (std::isdigit(static_cast<unsigned char>(c))) return number();
    if (!take("(")) return fail(fmt::format("\"{}\" is not expected here.", c));
    NodePointer node = choose();
    expect(")");
    return node;
  }

  NodePointer quoted(char quote) {
    const int where = column();
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return fail("This text has no closing quote.");
    NodePointer node = make(NodeKind::String, std::string(text_.substr(at_ + 1, end - at_ - 1)), where);
    at_ = end + 1;
    return node;
  }

  NodePointer number() {
    NodePointer node = make(NodeKind::Number, {}, column());
    const char* begin = text_.data() + at_;
    const auto [end, bad] = std::from_chars(begin, text_.data() + text_.size(), node->number);
    if (bad != std::errc{}) return fail("This is not a number.");
    at_ += static_cast<size_t>(end - begin);
    return node;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::optional<Diagnostic> problem_;
};

/// Evaluates nodes. Sides of &&, || and ?: are evaluated only when needed.
class Evaluator {
 public:
  using Node = Expression::Node;
  explicit Evaluator(const Names& names) : names_(names) {}

  static const Node& root(const Expression& expression) { return *expression.root_; }

  Result<Value> value(const Node& node) const {
    switch (node.kind) {
      case NodeKind::Number: return Value(node.number);
      case NodeKind::String: return Value(node.text);
      case NodeKind::Name: return placed(names_(node.text), node.column);
      case NodeKind::Member: return member(node);
      case NodeKind::Call: return call(node);
      case NodeKind::Unary: return unary(node);
      case NodeKind::Binary: return binary(node);
      case NodeKind::Choose: return choose(node);
    }
    return Value(0);
  }

  static bool has_names(const Node& node) {
    if (node.kind == NodeKind::Name) return true;
    const size_t first = node.kind == NodeKind::Call && is_built_in(*node.children[0]) ? 1 : 0;
    return std::any_of(node.children.begin() + static_cast<std::ptrdiff_t>(first), node.children.end(),
                       [](const auto& child) { return has_names(*child); });
  }

  using Paths = std::vector<std::vector<std::string>>;
  static void add_paths(const Node& node, Paths& paths) {
    std::vector<std::string> path = path_of(node, paths);
    if (!path.empty()) paths.push_back(std::move(path));
  }

 private:
  /// The path that ends in this node, empty if it is not a name; adds the paths of arguments and operands.
  static std::vector<std::string> path_of(const Node& node, Paths& paths) {
    if (node.kind == NodeKind::Name) return {node.text};
    const bool continues = node.kind == NodeKind::Member || node.kind == NodeKind::Call;
    for (size_t i = continues ? 1 : 0; i < node.children.size(); ++i) add_paths(*node.children[i], paths);
    if (!continues || is_built_in(*node.children[0])) return {};
    std::vector<std::string> path = path_of(*node.children[0], paths);
    if (node.kind == NodeKind::Member) path.push_back(node.text);
    return path;
  }

  static bool is_built_in(const Node& node) { return node.kind == NodeKind::Name && find_function(node.text); }

  static Result<Value> placed(Result<Value> result, int column) {
    if (result) return result;
    Diagnostics problems = result.errors();
    for (Diagnostic& problem : problems)
      if (problem.at.line == 0) problem.at = {{}, 1, column};
    return problems;
  }

  Result<double> number(const Node& node) const {
    const Result<Value> result = value(node);
    if (!result) return result.errors();
    if (const double* held = result->number()) return *held;
    return at_column(node.column, result->text() ? "This is a text; a number is needed here."
                                                 : fmt::format("This is {}; add the member that is meant: {}.",
                                                               result->object()->what, member_list(*result->object())));
  }

  static std::string member_list(const Object& object) {
    std::string list;
    for (const auto& [name, field] : object.fields) list += list.empty() ? name : fmt::format(", {}", name);
    return list;
  }

  Result<Value> member(const Node& node) const {
    const Result<Value> owner = value(*node.children[0]);
    if (!owner) return owner.errors();
    const Object* object = owner->object();
    if (!object) return at_column(node.column, fmt::format("A number or text has no member {}.", node.text));
    const auto found = object->fields.find(node.text);
    if (found != object->fields.end()) return found->second;
    return at_column(node.column,
                     fmt::format("{} has no member {}; it has {}.", object->what, node.text, member_list(*object)));
  }

  Result<std::vector<Value>> arguments(const Node& node) const {
    std::vector<Value> values;
    for (size_t i = 1; i < node.children.size(); ++i) {
      Result<Value> argument = value(*node.children[i]);
      if (!argument) return argument.errors();
      values.push_back(std::move(*argument));
    }
    return values;
  }

  Result<Value> call(const Node& node) const {
    const Result<std::vector<Value>> given = arguments(node);
    if (!given) return given.errors();
    if (is_built_in(*node.children[0])) return built_in(*find_function(node.children[0]->text), *given, node.column);
    const Result<Value> callee = value(*node.children[0]);
    if (!callee) return callee.errors();
    const Object* object = callee->object();
    if (!object || !object->call)
      return at_column(node.column, "What stands before the parenthesis takes no arguments.");
    return placed(object->call(*given), node.column);
  }

  static Result<Value> built_in(const BuiltIn& function, const std::vector<Value>& given, int column) {
    std::vector<double> numbers;
    for (const Value& value : given)
      if (value.number()) numbers.push_back(*value.number());
    if (numbers.size() != given.size() || given.size() < function.least || given.size() > function.most)
      return at_column(column, fmt::format("{} takes {} to {} numbers.", function.name, function.least, function.most));
    return Value(function.compute(numbers));
  }

  Result<Value> unary(const Node& node) const {
    const Result<double> operand = number(*node.children[0]);
    if (!operand) return operand.errors();
    return Value(node.text == "-" ? -*operand : static_cast<double>(*operand == 0));
  }

  Result<Value> binary(const Node& node) const {
    if (node.text == "==" || node.text == "!=") return equality(node);
    const Result<double> left = number(*node.children[0]);
    if (!left) return left.errors();
    if (node.text == "&&" && *left == 0) return Value(0.0);
    if (node.text == "||" && *left != 0) return Value(1.0);
    const Result<double> right = number(*node.children[1]);
    if (!right) return right.errors();
    if ((node.text == "/" || node.text == "%") && *right == 0) return at_column(node.column, "This divides by zero.");
    return Value(computed(node.text, *left, *right));
  }

  static double computed(const std::string& operation, double a, double b) {
    switch (operation[0]) {
      case '+': return a + b;
      case '-': return a - b;
      case '*': return a * b;
      case '/': return a / b;
      case '%': return std::fmod(a, b);
      case '^': return std::pow(a, b);
      case '<': return operation.size() == 2 ? a <= b : a < b;
      case '>': return operation.size() == 2 ? a >= b : a > b;
      default: return b != 0;  // of && and ||, whose left side did not decide
    }
  }

  Result<Value> equality(const Node& node) const {
    const Result<Value> left = value(*node.children[0]), right = value(*node.children[1]);
    if (!left) return left.errors();
    if (!right) return right.errors();
    const bool numbers = left->number() && right->number(), texts = left->text() && right->text();
    if (!numbers && !texts) return at_column(node.column, "Only two numbers or two texts can be compared.");
    const bool same = numbers ? *left->number() == *right->number() : *left->text() == *right->text();
    return Value(static_cast<double>(same == (node.text == "==")));
  }

  Result<Value> choose(const Node& node) const {
    const Result<double> condition = number(*node.children[0]);
    if (!condition) return condition.errors();
    return value(*node.children[*condition != 0 ? 1 : 2]);
  }

  const Names& names_;
};

Result<Expression> Expression::parse(std::string_view text) { return ExpressionParser(text).parse(); }

Result<Value> Expression::evaluate(const Names& names) const { return Evaluator(names).value(*root_); }

bool Expression::has_names() const { return Evaluator::has_names(*root_); }

std::vector<std::vector<std::string>> Expression::paths() const {
  std::vector<std::vector<std::string>> paths;
  Evaluator::add_paths(*root_, paths);
  return paths;
}

Result<double> parse_number(std::string_view text) {
  const Result<Expression> expression = Expression::parse(text);
  const Diagnostic refusal = error(Message("\"{}\" is not a number. Write one, or a sum such as 2*1024^3.", text));
  if (!expression || expression->has_names()) return refusal;
  const Result<Value> value = expression->evaluate(
      [](const std::string& name) -> Result<Value> { return error(fmt::format("There is no {}.", name)); });
  if (!value || !value->number() || !std::isfinite(*value->number())) return refusal;
  return *value->number();
}

}  // namespace tilescope::lesson
