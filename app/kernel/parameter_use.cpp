#include "kernel/parameter_use.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace tilescope::kernel {
namespace {
using source::Token;
using source::TokenKind;

/// The tokens of a kernel's body.
class Body {
 public:
  explicit Body(const source::Kernel& kernel) : text_(kernel.body), tokens_(source::tokenize(text_)) {}

  size_t size() const { return tokens_.size(); }
  std::string_view word(size_t i) const { return i < size() ? source::text_of(text_, tokens_[i]) : std::string_view{}; }
  bool is_word(size_t i) const { return i < size() && tokens_[i].kind == TokenKind::Word; }
  bool is_number(size_t i) const { return i < size() && tokens_[i].kind == TokenKind::Number; }
  size_t close(size_t open) const { return source::closing(text_, tokens_, open); }

 private:
  const std::string& text_;
  source::Tokens tokens_;
};

/// An assignment that ends at `equals`: from the statement's first token on.
size_t start_of_statement(const Body& body, size_t equals) {
  size_t i = equals;
  while (i > 0 && body.word(i - 1) != ";" && body.word(i - 1) != "{" && body.word(i - 1) != "}") --i;
  return i;
}

bool is_assignment(const Body& body, size_t i) {
  if (body.word(i) != "=" || body.word(i + 1) == "=" || i == 0) return false;
  const std::string_view before = body.word(i - 1);
  return before != "=" && before != "!" && before != "<" && before != ">";
}

/// The name itself and the local pointers that are set from it.
std::set<std::string, std::less<>> aliases_of(const Body& body, const std::string& pointer) {
  std::set<std::string, std::less<>> names{pointer};
  for (size_t i = 1; i < body.size(); ++i) {
    if (!is_assignment(body, i) || !body.is_word(i - 1)) continue;
    bool declares_pointer = false;
    for (size_t at = start_of_statement(body, i); at < i; ++at) declares_pointer |= body.word(at) == "*";
    if (!declares_pointer) continue;
    for (size_t at = i + 1; at < body.size() && body.word(at) != ";"; ++at)
      if (names.contains(body.word(at))) names.emplace(body.word(i - 1));
  }
  return names;
}

/// The first of `names` in [first, last) that is not in an index of another array.
bool is_target(const Body& body, const std::set<std::string, std::less<>>& names, size_t first, size_t last) {
  for (size_t i = first; i < last; ++i) {
    if (body.word(i) == "[") i = body.close(i);
    if (names.contains(body.word(i))) return body.word(i + 1) != "=" && !(i + 2 == last && body.word(i + 1) == "+");
  }
  return false;
}

}  // namespace

PointerUse use_of(const source::Kernel& kernel, const std::string& pointer) {
  const Body body(kernel);
  const auto names = aliases_of(body, pointer);
  PointerUse use;
  use.is_single = true;
  std::set<size_t> written;  // Places of the name that are targets.
  for (size_t i = 1; i < body.size(); ++i) {
    if (is_assignment(body, i)) {
      const size_t first = start_of_statement(body, i);
      if (!is_target(body, names, first, i)) continue;
      use.is_written = true;
      const std::string_view before = body.word(i - 1);
      if (before == "+" || before == "-" || before == "*") use.is_added_to = true;
      for (size_t at = first; at < i; ++at)
        if (names.contains(body.word(at))) written.insert(at);
    } else if (body.word(i).starts_with("atomic") && body.word(i + 1) == "(") {
      const size_t first = i + 2;
      size_t end = first;
      for (; end < body.size() && body.word(end) != "," && body.word(end) != ")"; ++end)
        if (body.word(end) == "[" || body.word(end) == "(") end = body.close(end);
      for (size_t at = first; at < end; ++at) {
        if (!names.contains(body.word(at))) continue;
        use.is_written = use.is_added_to = true;
        written.insert(at);
      }
    }
  }
  for (size_t i = 0; i < body.size(); ++i) {
    if (!names.contains(body.word(i))) continue;
    const bool sets_itself = body.word(i + 1) == "+" && body.word(i + 2) == "=";  // A += offset
    size_t index = i + 1;  // p[i], reinterpret_cast<float4*>(p)[i]
    while (body.word(index) == ")") ++index;
    const bool is_indexed = body.word(index) == "[";
    if (!written.contains(i) && !sets_itself && (is_indexed || (i > 0 && body.word(i - 1) == "*"))) use.is_read = true;
    const bool first_only = is_indexed && body.word(index + 1) == "0" && body.word(index + 2) == "]";
    if ((is_indexed && !first_only) || sets_itself || body.word(i + 1) == "+") use.is_single = false;
  }
  return use;
}

bool mentions(const source::Kernel& kernel, const std::string& word, const std::string& member) {
  const Body body(kernel);
  for (size_t i = 0; i < body.size(); ++i)
    if (body.word(i) == word && (member.empty() || body.word(i + 2) == member)) return true;
  return false;
}

bool multiplies_by(const source::Kernel& kernel, const std::string& value) {
  const Body body(kernel);
  for (size_t i = 0; i < body.size(); ++i)
    if (body.word(i) == value && ((i > 0 && body.word(i - 1) == "*") || body.word(i + 1) == "*")) return true;
  return false;
}

namespace {

/// The text from `first` on to what ends an expression outside of brackets: one of `ends`, too.
std::string expression_at(const Body& body, size_t first, std::string_view ends = "") {
  std::string text;
  for (size_t i = first; i < body.size(); ++i) {
    const std::string_view word = body.word(i);
    if (word == ";" || word == "," || word == ")" || word == "]" || word == "{") break;
    if (word.size() == 1 && ends.find(word) != ends.npos) break;
    const size_t end = word == "(" || word == "[" ? body.close(i) : i;
    for (; i <= end; ++i) text.append(body.word(i)).append(body.word(i) == "." || body.word(i + 1) == "." ? "" : " ");
    --i;
  }
  return text;
}

/// One past the statement that begins at `first`.
size_t end_of_statement(const Body& body, size_t first) {
  size_t i = first;
  while (i < body.size() && body.word(i) != ";") {
    if (body.word(i) == "{") return body.close(i) + 1;
    i = (body.word(i) == "(" || body.word(i) == "[" ? body.close(i) : i) + 1;
  }
  return i;
}

using WordSet = std::set<std::string, std::less<>>;

/// Whether the expression names one of these; members, as x of threadIdx.x, are no names.
bool names_one(const std::string& expression, const WordSet& names) {
  std::string_view before;
  for (const source::Token& token : source::tokenize(expression)) {
    const std::string_view word = source::text_of(expression, token);
    if (before != "." && names.contains(word)) return true;
    before = word;
  }
  return false;
}

/// Whether one of these is in a summand of the expression without a product, a quotient or an array's element.
bool has_summand(const std::string& expression, const WordSet& names) {
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= expression.size(); ++i) {
    const char c = i < expression.size() ? expression[i] : '+';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (i < expression.size() && (depth > 0 || (c != '+' && c != '-'))) continue;
    const std::string summand = expression.substr(begin, i - begin);
    if (summand.find_first_of("*/%[?<>&|^") == std::string::npos && names_one(summand, names)) return true;
    begin = i + 1;
  }
  return false;
}

/// The ) of the if, for or while whose condition holds this place, or nullopt.
std::optional<size_t> end_of_condition(const Body& body, size_t place) {
  for (size_t i = place; i-- > 0 && body.word(i) != "{" && body.word(i) != "}";)
    if ((body.word(i) == "if" || body.word(i) == "for" || body.word(i) == "while") && body.word(i + 1) == "(" &&
        body.close(i + 1) > place)
      return body.close(i + 1);
  return std::nullopt;
}

bool leaves(const Body& body, size_t statement) {
  const std::string_view word = body.word(statement + (body.word(statement) == "{" ? 1 : 0));
  return word == "return" || word == "continue" || word == "break";
}

}  // namespace

/// What the body's conditions and assignments say of its variables.
struct IndexRanges::Facts {
  /// At the places [first, last) the variable is at most `bound` less `less`.
  struct Guard {
    std::string name, bound;
    int64_t less = 0;
    size_t first = 0, last = 0;
  };
  /// The variable gets `value`; empty: it is made larger.
  struct Assignment {
    std::string name, value;
    size_t place = 0;
  };

  Facts(const source::Kernel& kernel, const source::Names& of, std::map<std::string, source::Range> ranges)
      : body(kernel), names(of), given(std::move(ranges)) {
    for (size_t i = 0; i + 2 < body.size(); ++i) {
      if (!body.is_word(i)) continue;
      add_guard(i);
      if (i > 0 && body.word(i - 1) != ".") add_assignment(i);
    }
  }

  void add_guard(size_t i) {
    size_t op = i + 1;  // Of i + 1 < n, too.
    int64_t less = 0;
    if (const std::string_view sign = body.word(op); sign == "+" || sign == "-")
      if (const auto number = source::constant_value(std::string(body.word(op + 1)), names)) {
        less = sign == "+" ? *number : -*number;
        op += 2;
      }
    const bool below = body.word(op) == "<" && body.word(op + 1) != "<",
               above = body.word(op) == ">" && body.word(op + 1) != ">", or_equal = body.word(op + 1) == "=";
    if (!below && !above) return;
    const std::optional<size_t> end = end_of_condition(body, i);
    const bool is_exit = end && leaves(body, *end + 1);  // if (i >= n) return;
    if (above != is_exit) return;
    std::string name(body.word(i));  // Of threadIdx.x, too.
    if (i > 1 && body.word(i - 1) == ".") name = std::string(body.word(i - 2)) + "." + name;
    guards.push_back({std::move(name), expression_at(body, op + (or_equal ? 2 : 1), "?&|"),
                      less + (below != or_equal ? 1 : 0), i + 1,
                      is_exit ? body.size() : end_of_statement(body, end ? *end + 1 : i)});
  }

  void add_assignment(size_t i) {
    const std::string name(body.word(i));
    const std::string_view op = body.word(i + 1), next = body.word(i + 2);
    if (is_assignment(body, i + 1)) {
      assignments.push_back({name, expression_at(body, i + 2), i});
    } else if ((op == "+" && (next == "+" || next == "=")) || ((op == "*" || op == "|" || op == "^") && next == "=") ||
               (op == "<" && next == "<" && body.word(i + 3) == "=") ||
               (i > 1 && body.word(i - 1) == "+" && body.word(i - 2) == "+")) {
      assignments.push_back({name, "", i});
    }
  }

  /// The range that an expression has at a place of the body.
  std::optional<source::Range> range_at(const std::string& expression, size_t place) const {
    constexpr int kDeepest = 32;  // Of variables that are set from variables.
    if (expression.empty() || depth > kDeepest) return std::nullopt;
    ++depth;
    const auto range =
        source::range_of(expression, names, [&](const std::string& name) { return variable_at(name, place); });
    --depth;
    return range;
  }

  std::optional<source::Range> variable_at(const std::string& name, size_t place) const {
    // Of a variable that depends on itself nothing is known meanwhile.
    const auto [known, is_new] = variables.try_emplace({name, place});
    if (is_new) known->second = computed_at(name, place);
    return known->second;
  }

  std::optional<source::Range> computed_at(const std::string& name, size_t place) const {
    std::optional<source::Range> range;
    if (const auto found = given.find(name); found != given.end()) range = found->second;
    bool is_known = true;
    for (const Assignment& assignment : assignments) {
      if (assignment.name != name) continue;
      const auto value = range_at(assignment.value, assignment.place);
      is_known &= value.has_value();
      if (value)
        range = range ? source::Range{std::min(range->least, value->least), std::max(range->greatest, value->greatest)}
                      : *value;
    }
    if (!is_known) range.reset();
    for (const Guard& guard : guards) {
      if (guard.name != name || place < guard.first || place >= guard.last) continue;
      const auto bound = range_at(guard.bound, guard.first);
      if (!bound) continue;
      const int64_t most = bound->greatest - guard.less;
      if (!range) range = {0, most};
      range->greatest = std::min(range->greatest, most);
    }
    return range;
  }

  /// Those of `names` and the variables that are set from them: where `from` holds for the value and the names so far.
  template <class From>
  WordSet and_set_from(WordSet set, From from) const {
    for (size_t before = 0; before != set.size();) {
      before = set.size();
      for (const Assignment& assignment : assignments)
        if (!set.contains(assignment.name) && from(assignment.value, set)) set.insert(assignment.name);
    }
    return set;
  }

  /// The variables that are a thread's place: a sum in which the thread's number is not multiplied.
  WordSet positions() const { return and_set_from({"threadIdx", "blockIdx"}, has_summand); }

  /// Whether threads up to the parameter itself come to the place: if (i >= n) return.
  bool bounds_a_thread(const std::string& parameter, size_t place, const WordSet& positions) const {
    return std::ranges::any_of(guards, [&](const Guard& guard) {
      return place >= guard.first && place < guard.last && guard.bound.starts_with(parameter + " ") &&
             positions.contains(guard.name.substr(0, guard.name.find('.')));
    });
  }

  /// Whether a loop's variable is added to a thread's place in an index between the two places.
  bool slides(const std::string& variable, WordSet positions, size_t first, size_t last) const {
    positions.erase(variable);
    const auto adds = [&](const std::string& sum) {
      return has_summand(sum, {variable}) && has_summand(sum, positions);
    };
    WordSet shifted;  // Variables that are set to such a sum.
    for (const Assignment& assignment : assignments)
      if (assignment.place >= first && assignment.place < last && adds(assignment.value))
        shifted.insert(assignment.name);
    for (size_t i = first; i < last; ++i) {
      if (body.word(i) != "[") continue;
      for (size_t at = i; at < body.close(i); ++at) {
        const std::string_view word = body.word(at);
        if (shifted.contains(word)) return true;
        if ((word == "[" || word == "(" || word == ",") && adds(expression_at(body, at + 1))) return true;
      }
    }
    return false;
  }

  const Body body;
  const source::Names& names;
  const std::map<std::string, source::Range> given;
  std::vector<Guard> guards;
  std::vector<Assignment> assignments;
  mutable std::map<std::pair<std::string, size_t>, std::optional<source::Range>> variables;
  mutable int depth = 0;
};

IndexRanges::IndexRanges(const source::Kernel& kernel, const source::Names& names,
                         std::map<std::string, source::Range> given)
    : kernel_(kernel), facts_(std::make_unique<Facts>(kernel, names, std::move(given))) {}
IndexRanges::~IndexRanges() = default;

std::optional<int64_t> IndexRanges::greatest_from(const std::string& word, const std::string& member) const {
  std::optional<int64_t> greatest;
  for (const Facts::Assignment& assignment : facts_->assignments) {
    if (assignment.value.find(word + "." + member) == std::string::npos) continue;
    for (const Facts::Guard& guard : facts_->guards)
      if (const auto bound = guard.name == assignment.name ? facts_->range_at(guard.bound, guard.first) : std::nullopt)
        greatest = std::max(greatest.value_or(0), bound->greatest - guard.less);
  }
  return greatest;
}

/// for (int j = first; j < bound; ++j), with steps of 1.
struct IndexRanges::Loop {
  std::string variable, first, bound;
  bool to_bound = false;      ///< j <= bound
  size_t begin = 0, end = 0;  ///< Its statement: the places [begin, end).

  /// Of the `for` at place i; nullopt for other loops.
  static std::optional<Loop> at(const Body& body, size_t i) {
    if (body.word(i) != "for" || body.word(i + 1) != "(") return std::nullopt;
    const size_t close = body.close(i + 1);
    Loop loop;
    size_t at = i + 2;
    while (at < close && !is_assignment(body, at)) ++at;
    loop.variable = std::string(body.word(at - 1));
    loop.first = expression_at(body, at + 1);
    while (at < close && body.word(at) != ";") ++at;
    if (body.word(at + 1) != loop.variable || body.word(at + 2) != "<") return std::nullopt;
    loop.to_bound = body.word(at + 3) == "=";
    loop.bound = expression_at(body, at + (loop.to_bound ? 4 : 3), "&|");
    for (++at; at < close && body.word(at) != ";";) ++at;
    std::string step;
    for (++at; at < close; ++at) step += body.word(at);
    const std::string& j = loop.variable;
    if (step != "++" + j && step != j + "++" && step != j + "+=1") return std::nullopt;
    loop.begin = close + 1;
    loop.end = end_of_statement(body, loop.begin);
    return loop;
  }
};

std::optional<int64_t> IndexRanges::filter_turns(const std::string& parameter) const {
  const Facts& facts = *facts_;
  const WordSet positions = facts.positions(), bounds = facts.and_set_from({parameter}, names_one);
  for (size_t i = 0; i < facts.body.size(); ++i) {
    const std::optional<Loop> loop = Loop::at(facts.body, i);
    if (!loop || !(names_one(loop->bound, bounds) || names_one(loop->first, bounds))) continue;
    if (facts.bounds_a_thread(parameter, loop->begin, positions)) continue;  // As many turns as there are threads.
    if (!facts.slides(loop->variable, positions, loop->begin, loop->end)) continue;
    const auto first = facts.range_at(loop->first, i), bound = facts.range_at(loop->bound, i);
    if (first && bound) return bound->greatest - first->least + (loop->to_bound ? 1 : 0);
  }
  return std::nullopt;
}

std::optional<IndexReach> IndexRanges::reach_of(const std::string& pointer) const {
  const Body& body = facts_->body;
  std::optional<IndexReach> reach;
  bool is_whole = true;
  for (size_t i = 1; i < body.size(); ++i) {
    if (body.word(i) != pointer || body.word(i - 1) == ".") continue;
    const bool is_pointed = body.word(i - 1) == "*" && body.word(i + 1) != "[",
               is_moved = body.word(i - 1) == "(" && body.word(i + 1) == "+" &&
                          (body.word(i - 2) == "*" || body.word(i - 2).starts_with("atomic")),
               is_added_to = body.word(i - 1) == "(" && body.word(i - 2).starts_with("atomic") && !is_moved;
    const std::string index = is_pointed || is_added_to             ? "0"
                              : is_moved || body.word(i + 1) == "[" ? expression_at(body, i + 2)
                                                                    : "";
    const auto range = facts_->range_at(index, i);
    is_whole &= range && range->greatest >= 0;
    if (!range || range->greatest < 0) continue;
    if (!reach) reach.emplace();
    reach->is_shifted |= index.find(" + ") != std::string::npos;
    const size_t end = body.word(i + 1) == "[" ? body.close(i + 1) : i;
    if (body.word(end + 1) == "[")  // p[i][j]
      if (const auto column = facts_->range_at(expression_at(body, end + 2), i))
        reach->columns = std::max(reach->columns, column->greatest + 1);
    reach->elements =
        std::max(reach->elements, (range->greatest + 1) * (body.word(end + 1) == "[" ? reach->columns : 1));
    for (size_t at = i + 2; at < end; ++at) {
      const auto is_constant = [&](size_t place) {
        const std::string name(body.word(place));
        return facts_->names.program->constants.contains(name) ||
               std::ranges::find(kernel_.parameters, name, &source::Parameter::name) != kernel_.parameters.end();
      };
      const std::string factor(body.word(at));
      const size_t other = body.word(at - 1) == "*" ? at - 2 : body.word(at + 1) == "*" ? at + 2 : 0;
      if (other == 0 || !is_constant(at) || is_constant(other) || body.is_number(other)) continue;
      if (const auto columns = source::constant_value(factor, facts_->names); columns && *columns > 0)
        reach->columns = *columns;
    }
  }
  if (reach) reach->is_whole = is_whole;
  return reach;
}

bool sets(const source::Kernel& kernel, const std::string& variable, const std::string& value) {
  const Body body(kernel);
  for (size_t i = 0; i + 2 < body.size(); ++i)
    if (body.word(i) == variable && body.word(i + 1) == "=" && body.word(i + 2) == value) return true;
  return false;
}

}  // namespace tilescope::kernel
