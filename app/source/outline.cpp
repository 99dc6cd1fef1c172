#include "source/outline.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace tilescope::source {
namespace {

// Words whose parentheses are not those of a function's parameters.
constexpr std::array<std::string_view, 11> kTakesParentheses{
    "__launch_bounds__", "__attribute__",    "__align__",      "alignas",  "__declspec", "decltype",
    "noexcept",          "__cluster_dims__", "__block_size__", "requires", "explicit"};
constexpr std::array<std::string_view, 4> kTypeWords{"struct", "class", "union", "enum"};

/// Reads the items of one text.
class OutlineReader {
 public:
  OutlineReader(Outline& outline, const Markers& markers) : outline_(outline), markers_(markers) {}

  void read() {
    std::vector<std::string> scopes;
    for (size_t i = 0; i < size();) {
      if (kind(i) == TokenKind::Directive) {
        add_directive(i++);
      } else if (word(i) == "}") {
        if (!scopes.empty()) scopes.pop_back();
        ++i;
      } else if (word(i) == ";") {
        ++i;
      } else if (const size_t inside = enter(i, scopes)) {
        i = inside;
      } else {
        i = read_item(i, scopes);
      }
    }
  }

 private:
  size_t size() const { return outline_.tokens.size(); }
  std::string_view word(size_t i) const { return outline_.token(i); }
  TokenKind kind(size_t i) const { return i < size() ? outline_.tokens[i].kind : TokenKind::Mark; }
  size_t close(size_t open) const { return closing(outline_.text, outline_.tokens, open); }

  void add_directive(size_t i) {
    const DirectiveParts parts = parts_of_directive(word(i));
    if (parts.name != "define") return;
    Item item;
    item.kind = ItemKind::Define;
    item.first = i;
    item.last = i + 1;
    item.names.emplace_back(parts.rest.substr(0, parts.rest.find_first_of("( \t\r\n\\")));
    outline_.items.push_back(std::move(item));
  }

  /// Where `namespace x {` or `extern "C" {` begins: the token after the brace. Else 0.
  size_t enter(size_t i, std::vector<std::string>& scopes) const {
    size_t at = i;
    if (word(at) == "inline") ++at;
    std::string name;
    if (word(at) == "namespace") {
      for (++at; at < size() && word(at) != "{" && word(at) != ";" && word(at) != "="; ++at)
        if (kind(at) == TokenKind::Word || word(at) == ":") name += word(at);
      if (!name.empty()) name += "::";
    } else if (word(at) == "extern" && kind(at + 1) == TokenKind::Quoted) {
      at += 2;
    } else {
      return 0;
    }
    if (word(at) != "{") return 0;
    scopes.push_back(name);
    return at + 1;
  }

  size_t read_item(size_t first, const std::vector<std::string>& scopes) {
    Item item;
    item.first = first;
    item.last = end_of_item(first, item);
    for (const std::string& scope : scopes) item.scope += scope;
    mark(item);
    name(item);
    const size_t last = std::max(item.last, first + 1);
    outline_.items.push_back(std::move(item));
    return last;
  }

  /// Past `template <...>` headers.
  size_t skip_template(size_t i) const {
    while (word(i) == "template" && word(i + 1) == "<") {
      int depth = 0;
      for (++i; i < size(); ++i) {
        if (word(i) == "(") i = close(i);
        if (word(i) == "<") ++depth;
        if (word(i) == ">" && --depth == 0) break;
        if (word(i) == ";" || word(i) == "{") return i;
      }
      ++i;
    }
    return i;
  }

  /// Of parameters that nothing closes, the last token before the body; size() where there is none.
  size_t before_body(size_t open) const {
    for (size_t i = open + 1; i < size() && word(i) != ";" && kind(i) != TokenKind::Directive; ++i)
      if (word(i) == "{") return i - 1;
    return size();
  }

  bool is_alone(size_t call, size_t after) const {
    if (after >= size() || kind(after) == TokenKind::Directive) return true;
    return outline_.line_of(after) != outline_.line_of(after - 1) && word(call + 1) == "(" && word(after) != "{" &&
           word(after) != ";";
  }

  /// The = of `operator<<=`.
  bool is_of_operator(size_t i) const {
    while (i > 0 && kind(i) == TokenKind::Mark && word(i) != ")" && word(i) != ";") --i;
    return word(i) == "operator";
  }

  /// A function whose brackets are not all closed is one nevertheless, so that the compiler can say what is wrong.
  size_t end_of_item(size_t first, Item& item) const {
    bool assigned = false;
    const size_t begin = skip_template(first);
    size_t i = begin;
    for (; i < size(); ++i) {
      const std::string_view token = word(i);
      if (kind(i) != TokenKind::Mark) continue;
      if (token == ";") return i + 1;
      if (token == "}") break;
      if (token == "=" && !is_of_operator(i)) assigned = true;
      if (token == "(" || token == "[" || token == "{") {
        const bool are_parameters =
            token == "(" && item.parameters == 0 && !assigned && !holds(kTakesParentheses, word(i - 1));
        size_t end = close(i);
        const bool is_open = end >= size();
        if (is_open && are_parameters) end = before_body(i);
        if (is_open) item.is_unfinished = true;
        if (end >= size() && token != "{") return size();
        if (are_parameters) item.parameters = i;
        if (token == "(" && !is_open && i == first + 1 && kind(first) == TokenKind::Word && is_alone(first, end + 1)) {
          item.kind = ItemKind::MacroCall;
          item.parameters = 0;
          return end + 1;
        }
        const bool is_body = token == "{" && item.parameters != 0 && !assigned && word(end + 1) != "," &&
                             word(end + 1) != "{" && !is_type(begin, item);
        if (is_body) {
          item.kind = ItemKind::Function;
          item.body = i;
          return std::min(size(), word(end + 1) == ";" ? end + 2 : end + 1);
        }
        i = end;
      }
    }
    item.is_unfinished = true;
    return std::min(i, size());
  }

  // `struct Pair make(int a) {` is a function, `struct __align__(8) Pair {` is not.
  bool is_type(size_t begin, const Item& item) const {
    return holds(kTypeWords, word(begin)) && kind(item.parameters - 1) != TokenKind::Word;
  }

  /// The first ( of `int (*name)(float)`.
  bool is_pointer_to_function(size_t open) const {
    return word(open + 1) == "*" && kind(open + 2) == TokenKind::Word && kind(open - 1) == TokenKind::Word;
  }

  void mark(Item& item) const {
    const size_t end = item.body ? item.body : item.last;
    for (size_t i = item.first; i < end; ++i) {
      if (kind(i) != TokenKind::Word) continue;
      item.is_device = item.is_device || holds(markers_.device, word(i));
      item.is_kernel = item.is_kernel || holds(markers_.kernel, word(i));
      item.is_constant = item.is_constant || word(i) == "constexpr";
    }
    if (item.kind == ItemKind::Other && item.parameters != 0 && word(item.last - 1) == ";" &&
        !holds(kTypeWords, word(item.first)) && !is_pointer_to_function(item.parameters))
      item.kind = ItemKind::Function;  // A declaration; a variable with (...) can be treated as one.
  }

  void name(Item& item) const {
    if (item.kind == ItemKind::MacroCall) {
      item.names.emplace_back(word(item.first));
    } else if (item.kind == ItemKind::Function) {
      if (const size_t at = name_before(item.parameters); at < size()) item.names.emplace_back(word(at));
    } else {
      name_others(item);
    }
  }

  /// The word before a function's parameters, also with <...> between.
  size_t name_before(size_t parameters) const {
    size_t at = parameters - 1;
    if (word(at) == ">") {
      int depth = 0;
      for (; at > 0; --at) {
        if (word(at) == ">") ++depth;
        if (word(at) == "<" && --depth == 0) break;
      }
      if (at > 0) --at;
    }
    return kind(at) == TokenKind::Word ? at : size();
  }

  // A type's name follows its keyword; a variable's or an alias's comes before = [ { , or ;
  void name_others(Item& item) const {
    for (size_t i = skip_template(item.first); i < item.last; ++i) {
      if (kind(i) != TokenKind::Word) {
        if (word(i) == "{" && word(item.first) == "enum") continue;  // Its enumerators are names, too.
        if (word(i) == "(" && is_pointer_to_function(i)) item.names.emplace_back(word(i + 2));
        if (word(i) == "(" || word(i) == "[" || word(i) == "{") i = close(i);
        continue;
      }
      const std::string_view next = word(i + 1);
      if (holds(kTypeWords, word(i)) || (next == "(" && is_pointer_to_function(i + 1))) continue;
      const bool is_type_name = i > 0 && (holds(kTypeWords, word(i - 1)) || word(i - 1) == ")");
      if (is_type_name || next == "=" || next == "[" || next == "{" || next == "," || next == ";" || next == "(" ||
          next == ":" || next == "}")
        item.names.emplace_back(word(i));
    }
  }

  Outline& outline_;
  const Markers& markers_;
};

}  // namespace

std::string_view Outline::range(size_t first, size_t last) const {
  if (first >= last || first >= tokens.size()) return {};
  const size_t begin = tokens[first].begin;
  return std::string_view(text).substr(begin, tokens[std::min(last, tokens.size()) - 1].end - begin);
}

int Outline::line_of(size_t i) const {
  return tilescope::line_of(text, i < tokens.size() ? tokens[i].begin : text.size());
}

void add_markers(std::string_view text, const Tokens& tokens, Markers& markers) {
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::Directive) continue;
    const DirectiveParts parts = parts_of_directive(text_of(text, token));
    const size_t end = parts.rest.find_first_of("( \t\r\n\\");
    if (parts.name != "define" || end == parts.rest.npos) continue;
    const std::string_view name = parts.rest.substr(0, end), meaning = parts.rest.substr(end);
    for (const Token& part : tokenize(meaning)) {
      if (holds(markers.device, text_of(meaning, part))) markers.device.emplace_back(name);
      if (holds(markers.kernel, text_of(meaning, part))) markers.kernel.emplace_back(name);
    }
  }
}

Outline outline_of(std::string text, const Markers& markers) {
  Outline outline;
  outline.text = std::move(text);
  outline.tokens = tokenize(outline.text);
  OutlineReader(outline, markers).read();
  return outline;
}

}  // namespace tilescope::source
