#include "kernel/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <muParserBase.h>

#include "base/nearest.h"
#include "base/words.h"

namespace tilescope::kernel {
namespace {

// muParser computes in double, which holds every integer up to here exactly.
constexpr double kLargest = 9007199254740992.0;  // 2^53
constexpr size_t kLongestExpression = 300;
constexpr int kEquality = mu::prCMP - 1;  // == and != bind less tightly than <, as in C
constexpr std::array<std::string_view, 3> kFunctions{"min", "max", "ceil_div"};

double exact(double value) {
  if (!(std::fabs(value) < kLargest))
    throw mu::ParserError(tr_later("a value leaves the range of exact integers, 2^53"));
  return value;
}

double divisor(double value) {
  if (value == 0) throw mu::ParserError(tr_later("division by zero"));
  return value;
}

double add(double a, double b) { return exact(a + b); }
double subtract(double a, double b) { return exact(a - b); }
double multiply(double a, double b) { return exact(a * b); }
// a - fmod(a, b) is a multiple of b, so that the quotient is exact where a / b might round up.
double divide(double a, double b) { return (a - std::fmod(a, divisor(b))) / b; }
double remainder_of(double a, double b) { return std::fmod(a, divisor(b)); }
double less(double a, double b) { return a < b; }
double less_equal(double a, double b) { return a <= b; }
double greater(double a, double b) { return a > b; }
double greater_equal(double a, double b) { return a >= b; }
double equal(double a, double b) { return a == b; }
double unequal(double a, double b) { return a != b; }
double both(double a, double b) { return a != 0 && b != 0; }
double either(double a, double b) { return a != 0 || b != 0; }
double negate(double a) { return -a; }
double is_zero(double a) { return a == 0; }

double ceil_div(double a, double b) {
  const double rest = std::fmod(a, divisor(b));
  return divide(a, b) + (rest != 0 && (rest > 0) == (b > 0));
}

double smallest(const double* values, int count) { return *std::min_element(values, values + count); }
double largest(const double* values, int count) { return *std::max_element(values, values + count); }

int integer_literal(const char* text, int* position, double* value) {
  char* end = nullptr;
  if (!std::isdigit(static_cast<unsigned char>(*text))) return 0;
  const double number = static_cast<double>(std::strtoull(text, &end, 10));
  *value = exact(number);
  *position += static_cast<int>(end - text);
  return 1;
}

class IntegerParser : public mu::ParserBase {
 public:
  IntegerParser() {
    EnableBuiltInOprt(false);
    InitCharSets();
    InitFun();
    InitOprt();
    AddValIdent(integer_literal);
    EnableOptimizer(false);  // it folds constants with plain double arithmetic
  }
  void InitCharSets() override {
    DefineNameChars("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    DefineOprtChars("+-*/%<>=!&|");
    DefineInfixOprtChars("-!");
  }
  void InitConst() override {}
  void InitFun() override {
    DefineFun("min", smallest);
    DefineFun("max", largest);
    DefineFun("ceil_div", ceil_div);
  }
  void InitOprt() override {
    DefineInfixOprt("-", negate);
    DefineInfixOprt("!", is_zero);
    DefineOprt("||", either, mu::prLOR);
    DefineOprt("&&", both, mu::prLAND);
    DefineOprt("==", equal, kEquality);
    DefineOprt("!=", unequal, kEquality);
    DefineOprt("<", less, mu::prCMP);
    DefineOprt("<=", less_equal, mu::prCMP);
    DefineOprt(">", greater, mu::prCMP);
    DefineOprt(">=", greater_equal, mu::prCMP);
    DefineOprt("+", add, mu::prADD_SUB);
    DefineOprt("-", subtract, mu::prADD_SUB);
    DefineOprt("*", multiply, mu::prMUL_DIV);
    DefineOprt("/", divide, mu::prMUL_DIV);
    DefineOprt("%", remainder_of, mu::prMUL_DIV);
  }
};

std::string unknown_name(const std::string& name, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(name, names);
  return fmt::format("{} is no parameter, no derived value, and not M, N or K{}", name,
                     nearest.empty() ? "" : "; did you mean " + nearest + "?");
}

Message sentence(const Expression& expression, const std::string& reason) {
  return reason.ends_with('?') ? Message("\"{}\": {}", expression.text, Message(reason))
                               : Message("\"{}\": {}.", expression.text, Message(reason));
}

// muParser's own messages, without the full stop that some have and without its name for a missing operand.
std::string reason_of(const mu::ParserError& problem) {
  if (problem.GetCode() == mu::ecUNEXPECTED_EOF) return "it ends too early";
  if (problem.GetCode() == mu::ecUNASSIGNABLE_TOKEN)
    return fmt::format("what is {}?", problem.GetToken().substr(0, problem.GetToken().find(' ')));
  std::string text = problem.GetMsg();
  while (!text.empty() && (text.back() == '.' || text.back() == '!')) text.pop_back();
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

struct Variables::Compiled {
  IntegerParser parser;
  std::string problem;  // why it cannot be evaluated at all
};

Variables::Variables() = default;
Variables::~Variables() = default;
Variables::Variables(Variables&&) noexcept = default;

void Variables::set(const std::string& name, int64_t value) {
  if (values_.insert_or_assign(name, static_cast<double>(value)).second) compiled_.clear();
}

bool Variables::has(const std::string& name) const { return values_.contains(name); }

int64_t Variables::get(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? 0 : static_cast<int64_t>(found->second);
}

Variables::Compiled& Variables::compiled(const std::string& text) {
  std::unique_ptr<Compiled>& slot = compiled_[text];
  if (slot) return *slot;
  slot = std::make_unique<Compiled>();
  if (text.size() > kLongestExpression) {
    slot->problem = fmt::format("it is longer than {} characters", kLongestExpression);
    return *slot;
  }
  try {
    std::vector<std::string> names;
    for (auto& [name, value] : values_) {
      slot->parser.DefineVar(name, &value);
      names.push_back(name);
    }
    slot->parser.SetExpr(text);
    for (const auto& [name, where] : slot->parser.GetUsedVar())
      if (!values_.contains(name)) slot->problem = unknown_name(name, names);
  } catch (const mu::ParserError& problem) {
    slot->problem = reason_of(problem);
  }
  return *slot;
}

Result<std::monostate> Variables::check(const Expression& expression) {
  const std::string& problem = compiled(expression.text).problem;
  if (!problem.empty()) return error_at(expression.at, sentence(expression, problem));
  return std::monostate{};
}

Result<int64_t> Variables::evaluate(const Expression& expression) {
  const Compiled& ready = compiled(expression.text);
  if (!ready.problem.empty()) return error_at(expression.at, sentence(expression, ready.problem));
  try {
    const double value = ready.parser.Eval();
    if (ready.parser.GetNumResults() == 1) return static_cast<int64_t>(value);
    return error_at(expression.at, sentence(expression, "it is a list, not one value"));
  } catch (const mu::ParserError& problem) {
    return error_at(expression.at, sentence(expression, reason_of(problem)));
  }
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
         std::find(kFunctions.begin(), kFunctions.end(), name) == kFunctions.end();
}

}  // namespace tilescope::kernel
