#include "base/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/number.h"

namespace tilescope {
namespace {

constexpr int kMostNested = 60;
constexpr double kWholeLimit = 0x1p53;  // A double holds every whole number below it.

struct BinaryOperator {
  std::string_view mark;
  ExpressionOp op;
  int binds;
};
// Longer operators come before their prefixes.
constexpr std::array<BinaryOperator, 13> kBinaryOperators{{{"||", ExpressionOp::Or, 1},
                                                           {"&&", ExpressionOp::And, 2},
                                                           {"==", ExpressionOp::Equal, 3},
                                                           {"!=", ExpressionOp::Unequal, 3},
                                                           {"<=", ExpressionOp::LessEqual, 4},
                                                           {">=", ExpressionOp::GreaterEqual, 4},
                                                           {"<", ExpressionOp::Less, 4},
                                                           {">", ExpressionOp::Greater, 4},
                                                           {"+", ExpressionOp::Add, 5},
                                                           {"-", ExpressionOp::Subtract, 5},
                                                           {"*", ExpressionOp::Multiply, 6},
                                                           {"/", ExpressionOp::Divide, 6},
                                                           {"%", ExpressionOp::Remainder, 6}}};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_word(char c) { return is_word_start(c) || is_digit(c); }

template <class... Of>
ExpressionNode node_of(ExpressionOp op, int column, Of... of) {
  ExpressionNode node{op, column, 0, {}, {}};
  (node.of.push_back(std::move(of)), ...);
  return node;
}

/// Recursive descent. `problem_` is set once; later results are discarded.
class Parser {
 public:
  Parser(std::string_view text, const ExpressionLanguage& language) : text_(text), language_(language) {}

  Result<ExpressionNode> parse() {
    if (text_.size() > language_.longest)
      return error_at({{}, 1, 1}, Message("This expression is longer than {} characters.", language_.longest));
    ExpressionNode root = choose();
    skip_spaces();
    if (at_ < text_.size()) fail(Message("\"{}\" is not expected here.", text_.substr(at_, 12)));
    if (problem_) return *problem_;
    return root;
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  /// Of what comes next.
  int column() {
    skip_spaces();
    return static_cast<int>(at_) + 1;
  }
  ExpressionNode fail(Message message) {
    if (!problem_) problem_ = error_at({{}, 1, static_cast<int>(at_) + 1}, std::move(message));
    return {};
  }
  bool take(std::string_view mark) {
    skip_spaces();
    if (problem_ || !text_.substr(at_).starts_with(mark)) return false;
    at_ += mark.size();
    return true;
  }
  void expect(std::string_view mark) {
    if (!take(mark)) fail(Message("\"{}\" is missing here.", mark));
  }
  std::string word() {
    const size_t begin = at_;
    while (is_word(next())) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  ExpressionNode choose() {
    if (++depth_ > kMostNested) return fail(Message("This expression is nested too deeply."));
    ExpressionNode node = binary(1);
    const int where = column();
    if (take("?")) {
      ExpressionNode yes = choose();
      expect(":");
      ExpressionNode no = choose();
      node = node_of(ExpressionOp::Choose, where, std::move(node), std::move(yes), std::move(no));
    }
    --depth_;
    return node;
  }

  ExpressionNode binary(int binds) {
    ExpressionNode left = unary();
    for (;;) {
      const int where = column();
      const BinaryOperator* found = take_operator(binds);
      if (!found) return left;
      ExpressionNode right = binary(found->binds + 1);
      left = node_of(found->op, where, std::move(left), std::move(right));
    }
  }

  const BinaryOperator* take_operator(int binds) {
    for (const BinaryOperator& each : kBinaryOperators)
      if (text_.substr(at_).starts_with(each.mark)) return each.binds >= binds && take(each.mark) ? &each : nullptr;
    return nullptr;
  }

  ExpressionNode unary() {
    const int where = column();
    const bool negates = take("-");
    if (!negates && !take("!")) return power();
    if (++depth_ > kMostNested) return fail(Message("This expression is nested too deeply."));
    ExpressionNode operand = unary();
    --depth_;
    return node_of(negates ? ExpressionOp::Negate : ExpressionOp::Not, where, std::move(operand));
  }

  ExpressionNode power() {
    ExpressionNode base = postfix();
    const int where = column();
    if (language_.is_whole || !take("^")) return base;
    ExpressionNode exponent = unary();
    return node_of(ExpressionOp::Power, where, std::move(base), std::move(exponent));
  }

  ExpressionNode postfix() {
    ExpressionNode node = primary();
    while (!problem_ && !language_.is_whole) {
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

  ExpressionNode member(ExpressionNode owner, int where) {
    skip_spaces();
    std::string name = word();
    if (name.empty()) return fail(Message("The name of a member is missing here."));
    ExpressionNode node = node_of(ExpressionOp::Member, where + 1, std::move(owner));
    node.text = std::move(name);
    return node;
  }

  ExpressionNode call(ExpressionNode callee, int where) {
    ExpressionNode node = node_of(ExpressionOp::Call, where, std::move(callee));
    add_arguments(node);
    return node;
  }

  /// Those behind "(", which is taken, and the ")".
  void add_arguments(ExpressionNode& node) {
    if (take(")")) return;
    do node.of.push_back(choose());
    while (take(","));
    expect(")");
  }

  ExpressionNode primary() {
    skip_spaces();
    const char c = next();
    if (at_ == text_.size()) return fail(Message("The expression ends too early."));
    if (!language_.is_whole && (c == '"' || c == '\'')) return quoted(c);
    if (is_word_start(c)) return name();
    if (is_digit(c)) return number();
    if (!take("(")) return fail(Message("\"{}\" is not expected here.", c));
    ExpressionNode node = choose();
    expect(")");
    return node;
  }

  ExpressionNode name() {
    ExpressionNode node{ExpressionOp::Name, column(), 0, word(), {}};
    const auto function = std::find_if(language_.functions.begin(), language_.functions.end(),
                                       [&](const ExpressionFunction& each) { return each.name == node.text; });
    const int where = column();
    if (function == language_.functions.end() || !take("(")) return node;
    node.op = ExpressionOp::Function;
    node.column = where;
    add_arguments(node);
    if (!problem_ && (node.of.size() < function->least || node.of.size() > function->most))
      problem_ = error_at({{}, 1, where},
                          Message("{} takes {} to {} numbers.", function->name, function->least, function->most));
    return node;
  }

  ExpressionNode quoted(char quote) {
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return fail(Message("This text has no closing quote."));
    ExpressionNode node{ExpressionOp::Text, column(), 0, std::string(text_.substr(at_ + 1, end - at_ - 1)), {}};
    at_ = end + 1;
    return node;
  }

  ExpressionNode number() {
    ExpressionNode node{ExpressionOp::Number, column(), 0, {}, {}};
    size_t end = text_.size();
    if (language_.is_whole) end = std::min(end, text_.find_first_not_of("0123456789", at_));
    std::string_view rest = text_.substr(at_, end - at_);
    const size_t before = rest.size();
    const std::optional<double> number = take_number(rest);
    if (!number) return fail(Message("This is not a number."));
    node.number = *number;
    if (language_.is_whole && node.number >= kWholeLimit)
      return fail(Message("A value leaves the range of exact integers, 2^53."));
    at_ += before - rest.size();
    return node;
  }

  std::string_view text_;
  const ExpressionLanguage& language_;
  size_t at_ = 0;
  int depth_ = 0;
  std::optional<Diagnostic> problem_;
};

}  // namespace

Result<ExpressionNode> parse_expression(std::string_view text, const ExpressionLanguage& language) {
  return Parser(text, language).parse();
}

}  // namespace tilescope
