#include "kernel/parameter_use.h"

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

bool sets(const source::Kernel& kernel, const std::string& variable, const std::string& value) {
  const Body body(kernel);
  for (size_t i = 0; i + 2 < body.size(); ++i)
    if (body.word(i) == variable && body.word(i + 1) == "=" && body.word(i + 2) == value) return true;
  return false;
}

}  // namespace tilescope::kernel
