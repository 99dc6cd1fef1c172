#include "kernel/parameter_use.h"

#include <algorithm>
#include <set>

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

/// The text from `first` on to what ends an expression outside of brackets.
std::string expression_at(const Body& body, size_t first) {
  std::string text;
  for (size_t i = first; i < body.size(); ++i) {
    const std::string_view word = body.word(i);
    if (word == ";" || word == "," || word == ")" || word == "]" || word == "?" || word == "&" || word == "|" ||
        word == "{")
      break;
    const size_t end = word == "(" || word == "[" ? body.close(i) : i;
    for (; i <= end; ++i) text.append(body.word(i)).append(body.word(i) == "." || body.word(i + 1) == "." ? "" : " ");
    --i;
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> greatest_values(const source::Kernel& kernel, source::Names names) {
  const Body body(kernel);
  const std::map<std::string, std::string> given = names.known;
  std::map<std::string, int64_t> bounded;
  constexpr int kRounds = 3;  // A variable may be set from one that is set further down.
  for (int round = 0; round < kRounds; ++round) {
    std::map<std::string, int64_t> set;
    for (size_t i = 0; i + 2 < body.size(); ++i) {
      if (!body.is_word(i) || (i > 0 && body.word(i - 1) == ".")) continue;
      const std::string name(body.word(i));
      const bool or_equal = body.word(i + 2) == "=";
      const bool below = body.word(i + 1) == "<" && body.word(i + 2) != "<",
                 from = body.word(i + 1) == ">" && or_equal;  // if (i >= N) return;
      if (below || from) {
        const auto value = source::constant_value(expression_at(body, i + (or_equal ? 3 : 2)), names);
        const int64_t most = value ? *value - (below && or_equal ? 0 : 1) : 0;
        if (value && (!bounded.contains(name) || bounded[name] < most)) bounded[name] = most;
      } else if (is_assignment(body, i + 1)) {
        const auto value = source::constant_value(expression_at(body, i + 2), names);
        if (value && (!set.contains(name) || set[name] < *value)) set[name] = *value;
      }
    }
    names.known = given;
    for (const auto* values : {&bounded, &set})
      for (const auto& [name, value] : *values) names.known.emplace(name, std::to_string(value));
  }
  return names.known;
}

std::optional<int64_t> greatest_from(const source::Kernel& kernel, const std::string& word, const std::string& member,
                                     const std::map<std::string, std::string>& values) {
  const Body body(kernel);
  std::optional<int64_t> greatest;
  for (size_t i = 0; i + 2 < body.size(); ++i) {
    const auto value = is_assignment(body, i + 1) ? values.find(std::string(body.word(i))) : values.end();
    if (value == values.end() || expression_at(body, i + 2).find(word + "." + member) == std::string::npos) continue;
    greatest = std::max<int64_t>(greatest.value_or(0), std::stoll(value->second));
  }
  return greatest;
}

std::optional<IndexReach> reach_of(const source::Kernel& kernel, const std::string& pointer,
                                   const source::Names& names) {
  const Body body(kernel);
  std::optional<IndexReach> reach;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body.word(i) != pointer || body.word(i + 1) != "[") continue;
    const size_t end = body.close(i + 1);
    const auto index = source::constant_value(expression_at(body, i + 2), names);
    if (!index || *index < 0) continue;
    if (!reach) reach.emplace();
    if (body.word(end + 1) == "[")  // p[i][j]
      if (const auto column = source::constant_value(expression_at(body, end + 2), names))
        reach->columns = std::max(reach->columns, *column + 1);
    reach->elements = std::max(reach->elements, (*index + 1) * (body.word(end + 1) == "[" ? reach->columns : 1));
    for (size_t at = i + 2; at < end; ++at) {
      const auto is_constant = [&](size_t place) {
        return names.program->constants.contains(std::string(body.word(place)));
      };
      const std::string factor(body.word(at));
      const size_t other = body.word(at - 1) == "*" ? at - 2 : body.word(at + 1) == "*" ? at + 2 : 0;
      if (other == 0 || !is_constant(at) || is_constant(other)) continue;
      if (const auto columns = source::constant_value(factor, names); columns && *columns > 0)
        reach->columns = *columns;
    }
  }
  return reach;
}

bool sets(const source::Kernel& kernel, const std::string& variable, const std::string& value) {
  const Body body(kernel);
  for (size_t i = 0; i + 2 < body.size(); ++i)
    if (body.word(i) == variable && body.word(i + 1) == "=" && body.word(i + 2) == value) return true;
  return false;
}

}  // namespace tilescope::kernel
