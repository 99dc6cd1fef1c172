#include "kernel/formula.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/nearest.h"

namespace tilescope::kernel {
namespace {

constexpr size_t kLongestFormula = 1000, kMostNodes = 400;
constexpr int kDeepest = 60;

struct Function {
  std::string_view name;
  FormulaOp op;
  size_t arguments;  ///< Of min and max at least.
};
constexpr std::array<Function, 11> kFormulaFunctions{{{"abs", FormulaOp::Abs, 1},
                                                      {"sqrt", FormulaOp::Sqrt, 1},
                                                      {"exp", FormulaOp::Exp, 1},
                                                      {"log", FormulaOp::Log, 1},
                                                      {"sin", FormulaOp::Sin, 1},
                                                      {"cos", FormulaOp::Cos, 1},
                                                      {"tanh", FormulaOp::Tanh, 1},
                                                      {"floor", FormulaOp::Floor, 1},
                                                      {"pow", FormulaOp::Pow, 2},
                                                      {"min", FormulaOp::Min, 2},
                                                      {"max", FormulaOp::Max, 2}}};
constexpr std::array<std::pair<std::string_view, FormulaOp>, 3> kReductions{
    {{"sum", FormulaOp::Sum}, {"largest", FormulaOp::Largest}, {"smallest", FormulaOp::Smallest}}};

struct Operator {
  std::string_view text;
  FormulaOp op;
  int binds;
  bool swaps = false;  ///< a > b is b < a.
};
constexpr std::array<Operator, 13> kOperators{{{"||", FormulaOp::Or, 1},
                                               {"&&", FormulaOp::And, 2},
                                               {"==", FormulaOp::Equal, 3},
                                               {"!=", FormulaOp::Unequal, 3},
                                               {"<=", FormulaOp::LessEqual, 4},
                                               {">=", FormulaOp::LessEqual, 4, true},
                                               {"<", FormulaOp::Less, 4},
                                               {">", FormulaOp::Less, 4, true},
                                               {"+", FormulaOp::Add, 5},
                                               {"-", FormulaOp::Subtract, 5},
                                               {"*", FormulaOp::Multiply, 6},
                                               {"/", FormulaOp::Divide, 6},
                                               {"%", FormulaOp::Remainder, 6}}};

/// Recursive descent; the first problem ends it.
class FormulaParser {
 public:
  FormulaParser(std::string_view text, const FormulaScope& scope) : text_(text), scope_(scope) { formula_.text = text; }

  Result<Formula> parse() {
    if (text_.size() > kLongestFormula) fail(Message("it is longer than {} characters", kLongestFormula));
    parse_left();
    if (ok()) formula_.root = expression(0);
    if (ok() && !at_end()) fail(Message("what is {}?", rest()));
    if (!ok()) {
      const bool asks = problem_->text().ends_with('?');
      return error(asks ? Message("\"{}\": {}", formula_.text, *problem_)
                        : Message("\"{}\": {}.", formula_.text, *problem_));
    }
    formula_.variable_count = variables_;
    return std::move(formula_);
  }

 private:
  bool ok() const { return !problem_; }
  uint32_t fail(Message problem) {
    if (!problem_) problem_ = std::move(problem);
    return 0;
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ >= text_.size();
  }
  std::string rest() {
    skip_blanks();
    return std::string(text_.substr(at_, 12));
  }
  bool take(std::string_view mark) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(mark)) return false;
    at_ += mark.size();
    return true;
  }
  void expect(std::string_view mark) {
    if (!take(mark))
      fail(at_end() ? Message("it ends where {} should stand", mark)
                    : Message("{} should stand before {}", mark, rest()));
  }
  std::string word() {
    skip_blanks();
    const size_t begin = at_;
    const auto is_word = [&](size_t i) {
      return i < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[i])) || text_[i] == '_');
    };
    if (begin < text_.size() && std::isdigit(static_cast<unsigned char>(text_[begin]))) return {};
    while (is_word(at_)) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  uint32_t add(FormulaNode node) {
    if (formula_.nodes.size() >= kMostNodes) return fail(Message("it is too long"));
    formula_.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(formula_.nodes.size() - 1);
  }
  bool is_whole(uint32_t node) const { return node < formula_.nodes.size() && formula_.nodes[node].is_whole; }

  const FormulaScope::Array* find_array(const std::string& name) const {
    const auto found =
        std::find_if(scope_.arrays.begin(), scope_.arrays.end(), [&](const auto& array) { return array.name == name; });
    return found == scope_.arrays.end() ? nullptr : &*found;
  }
  bool is_known(const std::string& name) const {
    return std::any_of(scope_.names.begin(), scope_.names.end(),
                       [&](const auto& known) { return known.first == name; });
  }

  /// array[index]...[index] =
  void parse_left() {
    formula_.array = word();
    const FormulaScope::Array* array = find_array(formula_.array);
    if (!array) {
      fail(formula_.array.empty() ? Message("it begins with an element of an array, out[i] = ...")
                                  : Message("{} is no array of the kernel", formula_.array));
      return;
    }
    if (!array->is_written) {
      fail(Message("{} is an input; the left side is what the kernel writes", array->name));
      return;
    }
    while (ok() && take("[")) {
      const size_t begin = at_;
      const std::string name = word();
      skip_blanks();
      if (!name.empty() && at_ < text_.size() && text_[at_] == ']' && !is_known(name)) {
        if (names_.contains(name)) fail(Message("{} is used for two extents", name));
        names_[name] = variables_;
        formula_.variables.push_back(static_cast<int>(variables_++));
        formula_.at.push_back(0);
      } else {
        at_ = begin;
        formula_.variables.push_back(-1);
        formula_.at.push_back(whole_expression());
      }
      expect("]");
    }
    if (ok() && formula_.variables.size() != array->extents)
      fail(Message("{} has {} extents, and {} indices are given", array->name, array->extents,
                   formula_.variables.size()));
    expect("=");
  }

  uint32_t whole_expression() {
    const uint32_t node = expression(0);
    if (ok() && !is_whole(node)) fail(Message("an index is a whole number; floor() makes none of one that is not"));
    return node;
  }

  uint32_t expression(int binds) {
    if (++depth_ > kDeepest) return fail(Message("its parentheses are too deep"));
    uint32_t left = unary();
    for (const Operator* next; ok() && (next = operator_from(binds));) {
      at_ += next->text.size();
      const uint32_t right = expression(next->binds + 1);
      left = binary(*next, left, right);
    }
    if (binds == 0 && ok() && take("?")) left = choose(left);
    --depth_;
    return left;
  }

  const Operator* operator_from(int binds) {
    skip_blanks();
    for (const Operator& each : kOperators)
      if (text_.substr(at_).starts_with(each.text)) return each.binds >= std::max(binds, 1) ? &each : nullptr;
    return nullptr;
  }

  uint32_t binary(const Operator& operation, uint32_t left, uint32_t right) {
    const bool arithmetic = operation.binds >= 5;
    if (ok() && operation.op == FormulaOp::Remainder && !(is_whole(left) && is_whole(right)))
      return fail(Message("% takes whole numbers"));
    if (operation.swaps) std::swap(left, right);
    return add({operation.op, 0, {}, 0, !arithmetic || (is_whole(left) && is_whole(right)), {left, right}});
  }

  uint32_t choose(uint32_t condition) {
    const uint32_t yes = expression(0);
    expect(":");
    const uint32_t no = ok() ? expression(0) : 0;
    return add({FormulaOp::Choose, 0, {}, 0, is_whole(yes) && is_whole(no), {condition, yes, no}});
  }

  uint32_t unary() {
    if (take("-")) {
      if (++depth_ > kDeepest) return fail(Message("its parentheses are too deep"));
      const uint32_t of = unary();
      --depth_;
      return add({FormulaOp::Negate, 0, {}, 0, is_whole(of), {of}});
    }
    skip_blanks();
    if (text_.substr(at_).starts_with("!") && !text_.substr(at_).starts_with("!=")) {
      ++at_;
      if (++depth_ > kDeepest) return fail(Message("its parentheses are too deep"));
      const uint32_t of = unary();
      --depth_;
      return add({FormulaOp::Not, 0, {}, 0, true, {of}});
    }
    return primary();
  }

  uint32_t primary() {
    if (take("(")) {
      const uint32_t inside = expression(0);
      expect(")");
      return inside;
    }
    if (at_end()) return fail(Message("it ends too early"));
    const std::string name = word();
    if (name.empty()) return number();
    if (const auto variable = names_.find(name); variable != names_.end())
      return add({FormulaOp::Variable, 0, name, variable->second, true, {}});
    if (take("(")) return call(name);
    if (const FormulaScope::Array* array = find_array(name)) return element(*array);
    for (const auto& [known, whole] : scope_.names)
      if (known == name) return add({FormulaOp::Name, 0, name, 0, whole, {}});
    return fail(unknown(name));
  }

  uint32_t number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (problem != std::errc()) return fail(Message("what is {}?", rest()));
    const std::string_view written(begin, static_cast<size_t>(end - begin));
    at_ += written.size();
    const bool whole = written.find_first_of(".eE") == written.npos;
    if (at_ < text_.size() && text_[at_] == 'f') ++at_;
    return add({FormulaOp::Number, value, {}, 0, whole, {}});
  }

  uint32_t element(const FormulaScope::Array& array) {
    FormulaNode node{FormulaOp::Element, 0, array.name, 0, array.is_whole, {}};
    while (ok() && take("[")) {
      node.of.push_back(whole_expression());
      expect("]");
    }
    if (ok() && node.of.size() != array.extents)
      fail(Message("{} has {} extents, and {} indices are given", array.name, array.extents, node.of.size()));
    if (ok() && !array.has_values)
      fail(Message("{} holds nothing before the kernel runs; make it \"inout\" or give it an \"initial\" value",
                   array.name));
    return add(std::move(node));
  }

  uint32_t call(const std::string& name) {
    for (const auto& [known, op] : kReductions)
      if (known == name) return reduction(op);
    const auto function = std::find_if(kFormulaFunctions.begin(), kFormulaFunctions.end(),
                                       [&](const Function& each) { return each.name == name; });
    if (function == kFormulaFunctions.end()) return fail(unknown(name));
    FormulaNode node{function->op, 0, {}, 0, false, {}};
    do node.of.push_back(expression(0));
    while (ok() && take(","));
    expect(")");
    const bool many = function->op == FormulaOp::Min || function->op == FormulaOp::Max;
    if (ok() && (many ? node.of.size() < 2 || node.of.size() > 8 : node.of.size() != function->arguments))
      return fail(Message("{} takes {} arguments, and {} are given", name, function->arguments, node.of.size()));
    node.is_whole = function->op == FormulaOp::Floor ||
                    ((many || function->op == FormulaOp::Abs) &&
                     std::all_of(node.of.begin(), node.of.end(), [&](uint32_t of) { return is_whole(of); }));
    return add(std::move(node));
  }

  /// sum(k, K, what) from 0, sum(k, from, to, what): `to` is not included.
  uint32_t reduction(FormulaOp op) {
    const std::string name = word();
    if (name.empty() || is_known(name) || names_.contains(name) || find_array(name))
      return fail(Message("a name of its own should stand before {}", rest()));
    expect(",");
    const uint32_t first = whole_expression();
    expect(",");
    if (!ok()) return 0;
    // Whether it is the end or the start, what comes behind tells: three arguments or four.
    const uint32_t variable = variables_++;
    names_[name] = variable;
    const size_t before = at_;
    uint32_t last = expression(0);
    uint32_t from = 0, to = first, what = last;
    if (ok() && take(",")) {
      names_.erase(name);
      at_ = before;
      last = whole_expression();
      expect(",");
      names_[name] = variable;
      from = first;
      to = last;
      what = ok() ? expression(0) : 0;
    } else {
      from = add({FormulaOp::Number, 0, {}, 0, true, {}});
    }
    names_.erase(name);
    expect(")");
    return add({op, 0, {}, variable, is_whole(what), {from, to, what}});
  }

  Message unknown(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& [known, whole] : scope_.names) names.push_back(known);
    for (const auto& array : scope_.arrays) names.push_back(array.name);
    for (const Function& function : kFormulaFunctions) names.emplace_back(function.name);
    for (const auto& [known, op] : kReductions) names.emplace_back(known);
    const std::string nearest = nearest_name(name, names);
    if (!nearest.empty()) return Message("{} is nothing known; did you mean {}?", name, nearest);
    return Message("{} is no size, parameter, scalar, array or function", name);
  }

  std::string_view text_;
  const FormulaScope& scope_;
  size_t at_ = 0;
  int depth_ = 0;
  uint32_t variables_ = 0;
  std::map<std::string, uint32_t> names_;  ///< Variables that stand for something here.
  std::optional<Message> problem_;
  Formula formula_;
};

}  // namespace

Result<Formula> parse_formula(std::string_view text, const FormulaScope& scope) {
  return FormulaParser(text, scope).parse();
}

}  // namespace tilescope::kernel
