#include "source/host_expression.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tilescope::source {
namespace {

constexpr int kDeepest = 24;      // Of names defined by other names.
constexpr int kMostParts = 2000;  // Of one expression with all its names replaced.

/// A part of an expression, translated.
struct Term {
  std::string text;
  std::optional<int64_t> number;
  std::optional<Range> range;  ///< Of what is no constant.
  bool is_sum = false;         ///< It needs parentheses beside * and /.
  bool is_product = false;     ///< It needs them after * and /.
  bool is_real = false;        ///< Of a floating-point type.
  std::string over, under;     ///< Of a quotient of real numbers, which is not one of integers until it is rounded.
  std::optional<int64_t> over_number, under_number;
  bool is_quotient() const { return !over.empty(); }
};

Term of_text(std::string text, bool is_sum = false) {
  Term term;
  term.text = std::move(text);
  term.is_sum = is_sum;
  return term;
}

Term of_number(int64_t number) {
  Term term = of_text(std::to_string(number), number < 0);
  term.number = number;
  return term;
}

Term of_range(const Range& range) {
  if (range.least == range.greatest) return of_number(range.least);
  Term term = of_text("?");
  term.range = range;
  return term;
}

std::optional<Range> range_of(const Term& term) {
  return term.number ? std::optional(Range{*term.number, *term.number}) : term.range;
}

std::string factor(const Term& term) { return term.is_sum ? "(" + term.text + ")" : term.text; }

std::optional<int64_t> fold(const std::string& op, int64_t a, int64_t b) {
  constexpr int64_t kLargest = int64_t{1} << 40;  // Products of two stay exact.
  if (a > kLargest || a < -kLargest || b > kLargest || b < -kLargest) return std::nullopt;
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a > 0x7fffffff || b > 0x7fffffff ? std::nullopt : std::optional(a * b);
  if ((op == "/" || op == "%") && b == 0) return std::nullopt;
  if (op == "/") return a / b;
  if (op == "%") return a % b;
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  return a != b;
}

/// What `op` makes of all values of both sides; of an unknown left side % and & leave a range, too.
std::optional<Range> fold(const std::string& op, const std::optional<Range>& a, const std::optional<Range>& b) {
  if (op == "&") {
    std::optional<Range> result;
    for (const auto& side : {a, b})
      if (side && side->least >= 0) result = {0, result ? std::min(result->greatest, side->greatest) : side->greatest};
    return result;
  }
  if (!b) return std::nullopt;
  if (op == "%") {
    if (b->least < 1) return std::nullopt;
    return Range{0, a && a->least >= 0 ? std::min(a->greatest, b->greatest - 1) : b->greatest - 1};
  }
  if (!a || (op == "/" && b->least < 1) || std::string_view("+-*/").find(op) == std::string_view::npos)
    return std::nullopt;
  std::optional<Range> result;
  for (const int64_t left : {a->least, a->greatest})
    for (const int64_t right : {b->least, b->greatest}) {
      const std::optional<int64_t> value = fold(op, left, right);
      if (!value) return std::nullopt;
      if (!result) result = {*value, *value};
      result = {std::min(result->least, *value), std::max(result->greatest, *value)};
    }
  return result;
}

/// As an integer takes it: a real quotient loses its rest.
Term whole(const Term& term) {
  if (!term.is_quotient()) return term;
  const auto &over = term.over_number, &under = term.under_number;
  if (over && under && *under != 0) return of_number(*over / *under);
  Term result = of_text("(" + term.over + ") / (" + term.under + ")");
  result.is_product = true;
  return result;
}

constexpr std::array<std::string_view, 14> kIntegerWords{"int",     "unsigned", "long",   "short",   "size_t",
                                                         "uint",    "float",    "double", "int32_t", "uint32_t",
                                                         "int64_t", "uint64_t", "signed", "char"};

/// Reads one expression by recursive descent; `failed` on anything it does not know. Its language is C++ with casts,
/// calls and macros over tokens of a source, and its result is a text for base/expression.h to read.
class Translator {
 public:
  Translator(const std::string& text, const Names& names, const Variable* variable, int depth, int& parts_left)
      : text_(text),
        names_(names),
        variable_(variable),
        tokens_(tokenize(text_)),
        depth_(depth),
        parts_left_(parts_left) {}

  /// A real quotient is left as it is, for a ceil() around it.
  std::optional<Term> read() {
    if (depth_ > kDeepest || tokens_.size() > 400) return std::nullopt;
    const Term term = ternary();
    if (failed_ || at_ != tokens_.size()) return std::nullopt;
    return term;
  }

 private:
  std::string_view word(size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? text_of(text_, tokens_[at_ + ahead]) : std::string_view{};
  }
  bool accept(std::string_view token) {
    if (word() != token) return false;
    ++at_;
    return true;
  }
  Term fail() {
    failed_ = true;
    at_ = tokens_.size();
    return {};
  }
  void need(std::string_view token) {
    if (!accept(token)) fail();
  }

  Term ternary() {
    Term condition = bits();
    if (!accept("?")) return condition;
    const Term yes = whole(ternary());
    need(":");
    const Term no = whole(ternary());
    if (condition.number) return *condition.number ? yes : no;
    if (const auto a = range_of(yes), b = range_of(no); a && b)
      return of_range({std::min(a->least, b->least), std::max(a->greatest, b->greatest)});
    return of_text(condition.text + " ? " + yes.text + " : " + no.text, true);
  }

  /// Only of ranges: a description has no such operator.
  Term bits() {
    Term left = comparison();
    while (variable_ && word() == "&" && word(1) != "&") {
      ++at_;
      left = combine("&", left, comparison());
    }
    return left;
  }

  /// Two adjacent marks are one operator.
  std::string operator_here(std::initializer_list<std::string_view> operators) const {
    for (const std::string_view op : operators) {
      if (op.size() == 1 && word() == op) return std::string(op);
      if (op.size() == 2 && word() == op.substr(0, 1) && word(1) == op.substr(1)) return std::string(op);
    }
    return {};
  }

  Term combine(const std::string& op, const Term& a, const Term& b) {
    if (op == "/" && (a.is_real || b.is_real)) return quotient(a, b);
    if (a.is_quotient() || b.is_quotient()) return fail();
    Term result = combined(op, a, b);
    result.is_real = a.is_real || b.is_real;
    return result;
  }

  /// (float)n / 16 / 2 is n over 16 * 2.
  Term quotient(const Term& a, const Term& b) {
    if (b.is_quotient()) return fail();
    Term result;
    result.is_real = true;
    const Term under = a.is_quotient() ? combined("*", part(a.under, a.under_number), b) : b;
    result.over = a.is_quotient() ? a.over : a.text;
    result.over_number = a.is_quotient() ? a.over_number : a.number;
    result.under = under.text;
    result.under_number = under.number;
    return result;
  }

  static Term part(const std::string& text, const std::optional<int64_t>& number) {
    Term term = of_text(text, true);
    term.number = number;
    return term;
  }

  Term combined(const std::string& op, const Term& a, const Term& b) {
    if (a.number && b.number)
      if (const auto value = fold(op, *a.number, *b.number)) return of_number(*value);
    if ((op == "*" || op == "/") && b.number == 1) return a;
    if (op == "*" && a.number == 1) return b;
    if (variable_) {
      const std::optional<Range> range = fold(op, range_of(a), range_of(b));
      return range ? of_range(*range) : of_text("?");
    }
    const bool is_product = op == "*" || op == "/" || op == "%";
    Term result;
    result.is_sum = !is_product;
    result.is_product = is_product;
    result.text = is_product ? factor(a) + " " + op + " " + (b.is_product ? "(" + b.text + ")" : factor(b))
                             : a.text + " " + op + " " + (op == "-" ? factor(b) : b.text);
    if (op == "/")
      if (const auto whole = rounded_up(a, b)) return *whole;
    return result;
  }

  /// (n + 15) / 16 is ceil_div(n, 16)
  std::optional<Term> rounded_up(const Term& a, const Term& b) const {
    if (!b.number) return std::nullopt;
    const std::string tail = " + " + std::to_string(*b.number - 1);
    const std::string other = " + " + b.text + " - 1";
    for (const std::string& end : {tail, other})
      if (a.text.size() > end.size() && a.text.ends_with(end))
        return of_text("ceil_div(" + a.text.substr(0, a.text.size() - end.size()) + ", " + b.text + ")");
    return std::nullopt;
  }

  Term comparison() {
    Term left = sum();
    for (std::string op; !(op = operator_here({"<=", ">=", "==", "!=", "<", ">"})).empty();) {
      if (op.size() == 1 && word(1) == op) return shift(left, op);
      at_ += op.size();
      left = combine(op, left, sum());
    }
    return left;
  }

  Term shift(const Term& left, const std::string& op) {
    at_ += 2;
    const Term by = sum();
    if (variable_ && !by.number) return of_text("?");
    if (!by.number || *by.number < 0 || *by.number > 40) return fail();
    return combine(op == "<" ? "*" : "/", left, of_number(int64_t{1} << *by.number));
  }

  Term sum() {
    Term left = product();
    for (std::string op; !(op = operator_here({"+", "-"})).empty();) {
      ++at_;
      left = combine(op, left, product());
    }
    return left;
  }

  Term product() {
    Term left = unary();
    for (std::string op; !(op = operator_here({"*", "/", "%"})).empty();) {
      ++at_;
      left = combine(op, left, unary());
    }
    return left;
  }

  Term unary() {
    if (accept("-")) {
      const Term term = unary();
      if (const auto range = range_of(term)) return of_range({-range->greatest, -range->least});
      return of_text("-" + factor(term), true);
    }
    if (accept("+")) return unary();
    if (word() == "(" && is_type(1)) {
      const bool is_real = is_real_type(word(1));
      while (at_ < tokens_.size() && !accept(")")) ++at_;
      return converted(unary(), is_real);
    }
    return primary();
  }

  static bool is_real_type(std::string_view name) { return name == "float" || name == "double"; }

  /// A term as that kind of number: an integer cuts what is behind the point off.
  static Term converted(Term term, bool is_real) {
    if (!is_real) return whole(term);
    term.is_real = true;
    return term;
  }

  bool is_type(size_t ahead) const { return holds(kIntegerWords, word(ahead)); }

  Term primary() {
    if (--parts_left_ < 0) return fail();
    if (accept("(")) {
      Term inner = ternary();
      need(")");
      return inner;
    }
    if (at_ >= tokens_.size()) return fail();
    const Token token = tokens_[at_];
    if (token.kind == TokenKind::Number) return number();
    if (token.kind != TokenKind::Word) return fail();
    return name();
  }

  Term number() {
    std::string digits(word());
    ++at_;
    std::erase(digits, '\'');
    const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
    const bool is_real = !is_hex && digits.find_first_of(".fF") != digits.npos;
    if (const size_t point = digits.find('.'); point != digits.npos) {
      if (digits.find_first_not_of("0fF", point + 1) != digits.npos) return fail();
      digits.resize(point);
    }
    int64_t value = 0;
    const char* begin = digits.data() + (is_hex ? 2 : 0);
    const auto [end, problem] = std::from_chars(begin, digits.data() + digits.size(), value, is_hex ? 16 : 10);
    const std::string_view rest(end, static_cast<size_t>(digits.data() + digits.size() - end));
    if (problem != std::errc() || rest.find_first_not_of("uUlLfF") != rest.npos) return fail();
    Term term = of_number(value);
    term.is_real = is_real;
    return term;
  }

  std::vector<std::string> arguments() {
    const size_t close = closing(text_, tokens_, at_);
    if (close >= tokens_.size()) {
      fail();
      return {};
    }
    const size_t begin = tokens_[at_].end, end = tokens_[close].begin;
    at_ = close + 1;
    return split_list(std::string_view(text_).substr(begin, end - begin));
  }

  Term name() {
    if (word() == "std" && word(1) == ":") at_ += 3;
    const std::string name(word());
    ++at_;
    if (name == "static_cast" && word() == "<") {
      const bool is_real = is_real_type(word(1));
      while (at_ < tokens_.size() && !accept(">")) ++at_;
      return word() == "(" ? converted(primary(), is_real) : fail();
    }
    if (name == "sizeof") return size_of_type();
    if (is_type_name(name) && (word() == "(" || word() == "{")) return converted(call_of_one(), is_real_type(name));
    if (word() == "(") return call(name);
    if (word() == ".") return component(name);
    const Term value = variable(name);
    while (variable_ && word() == "[") at_ = closing(text_, tokens_, at_) + 1;
    return value;
  }

  bool is_type_name(const std::string& name) const { return holds(kIntegerWords, name); }

  Term call_of_one() {
    const std::vector<std::string> list = arguments();
    return list.size() == 1 ? again(list[0]) : fail();
  }

  Term size_of_type() {
    const std::vector<std::string> list = arguments();
    const std::string type = list.size() == 1 ? list[0] : "";
    if (type == "float" || type == "int" || type == "unsigned" || type == "unsigned int") return of_number(4);
    if (type == "double" || type == "long long" || type == "float2" || type == "size_t") return of_number(8);
    if (type == "half" || type == "__half" || type == "short" || type == "__nv_bfloat16") return of_number(2);
    if (type == "char" || type == "bool" || type == "unsigned char") return of_number(1);
    if (type == "float4" || type == "int4") return of_number(16);
    return fail();
  }

  Term again(const std::string& text) {
    const auto term = Translator(text, names_, variable_, depth_ + 1, parts_left_).read();
    return term ? *term : fail();
  }

  Term call(const std::string& name) {
    const std::vector<std::string> list = arguments();
    if ((name == "min" || name == "max") && list.size() == 2) {
      const Term a = whole(again(list[0])), b = whole(again(list[1]));
      const auto x = range_of(a), y = range_of(b);
      const bool is_min = name == "min";
      if (x && y)
        return of_range(is_min ? Range{std::min(x->least, y->least), std::min(x->greatest, y->greatest)}
                               : Range{std::max(x->least, y->least), std::max(x->greatest, y->greatest)});
      return of_text(name + "(" + a.text + ", " + b.text + ")");
    }
    if ((name == "ceil" || name == "ceilf") && list.size() == 1) return rounded(again(list[0]));
    if ((name == "floor" || name == "floorf") && list.size() == 1) return whole(again(list[0]));
    const auto found = names_.program->meanings.find(name);
    if (found == names_.program->meanings.end() || found->second.parameters.size() != list.size()) return unknown();
    return again(filled(found->second, list));
  }

  /// ceil() of a quotient of integers changes nothing: its rest is lost already.
  static Term rounded(const Term& term) {
    if (!term.is_quotient()) return term;
    const auto &over = term.over_number, &under = term.under_number;
    if (over && under && *over >= 0 && *under > 0) return of_number((*over + *under - 1) / *under);
    return of_text("ceil_div(" + term.over + ", " + term.under + ")");
  }

  static std::string filled(const Meaning& meaning, const std::vector<std::string>& list) {
    std::string text;
    size_t end = 0;
    for (const Token& token : tokenize(meaning.text)) {
      text += meaning.text.substr(end, token.begin - end);
      end = token.end;
      const std::string_view word = text_of(meaning.text, token);
      const auto found = std::find(meaning.parameters.begin(), meaning.parameters.end(), word);
      if (found == meaning.parameters.end())
        text += word;
      else
        text += "(" + list[static_cast<size_t>(found - meaning.parameters.begin())] + ")";
    }
    return text;
  }

  Term component(const std::string& name) {
    const std::string_view member = word(1);
    const size_t d = member == "x" ? 0 : member == "y" ? 1 : member == "z" ? 2 : 3;
    at_ += 2;
    if (const auto known = names_.known.find(name + "." + std::string(member)); known != names_.known.end())
      return of_known(known->second);
    if (variable_) return of_variable(name + "." + std::string(member));
    if (!names_.launch || d > 2) return fail();
    const auto found = names_.launch->extents.find(name);
    return found == names_.launch->extents.end() ? fail() : again(found->second[d]);
  }

  /// A name of a kernel's body with what follows it: of an array the range of its elements.
  Term of_variable(const std::string& name) {
    const std::optional<Range> range = (*variable_)(name);
    return range ? of_range(*range) : unknown();
  }

  /// In a kernel's body % and & may still say how large it is at most.
  Term unknown() { return variable_ ? of_text("?") : fail(); }

  /// A given name is replaced by a number, or by a name that the description knows.
  static Term of_known(const std::string& text) {
    int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc() && end == text.data() + text.size()) return of_number(number);
    return of_text(text, text.find(' ') != std::string::npos);
  }

  Term variable(const std::string& name) {
    if (name == "true" || name == "false") return of_number(name == "true" ? 1 : 0);
    if (const auto known = names_.known.find(name); known != names_.known.end()) return of_known(known->second);
    if (names_.launch)
      if (const auto local = names_.launch->values.find(name); local != names_.launch->values.end())
        return again(local->second);
    if (variable_)
      if (const std::optional<Range> range = (*variable_)(name)) return of_range(*range);
    const auto constant = names_.program->constants.find(name);
    return constant == names_.program->constants.end() ? unknown() : again(constant->second);
  }

  const std::string text_;
  const Names& names_;
  const Variable* variable_;  ///< Null: an expression of the host.
  Tokens tokens_;
  int depth_;
  int& parts_left_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<std::string> translate(const std::string& expression, const Names& names) {
  int parts_left = kMostParts;
  const auto term = Translator(expression, names, nullptr, 0, parts_left).read();
  return term ? std::optional(whole(*term).text) : std::nullopt;
}

std::optional<int64_t> constant_value(const std::string& expression, const Names& names) {
  int parts_left = kMostParts;
  const auto term = Translator(expression, names, nullptr, 0, parts_left).read();
  return term ? whole(*term).number : std::nullopt;
}

std::optional<Range> range_of(const std::string& expression, const Names& names, const Variable& variable) {
  int parts_left = kMostParts;
  const auto term = Translator(expression, names, &variable, 0, parts_left).read();
  return term ? range_of(whole(*term)) : std::nullopt;
}

}  // namespace tilescope::source
