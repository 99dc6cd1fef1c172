#include "source/own_constant.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "source/tokens.h"

namespace tilescope::source {
namespace {

/// Words before a name that do not declare it.
constexpr std::array<std::string_view, 11> kBeforeUse = {"return", "case", "else", "do", "sizeof", "throw",
                                                         "delete", "new",  "and",  "or", "not"};

bool guards(const DirectiveParts& directive, std::string_view name) {
  if (directive.name != "ifndef" && directive.name != "if") return false;
  for (const Token& token : tokenize(directive.rest))
    if (text_of(directive.rest, token) == name) return true;
  return false;
}

/// The number alone behind the name; empty if there is something else.
std::string defined_value(std::string_view rest, std::string_view name) {
  const Tokens tokens = tokenize(rest);
  const bool is_number = tokens.size() == 2 && tokens[1].kind == TokenKind::Number;
  return !tokens.empty() && text_of(rest, tokens[0]) == name && is_number ? std::string(text_of(rest, tokens[1])) : "";
}

}  // namespace

std::optional<OwnConstant> own_constant(std::string_view text, std::string_view name) {
  const Tokens tokens = tokenize(text);
  const auto at = [&](size_t i) { return i < tokens.size() ? text_of(text, tokens[i]) : std::string_view{}; };
  bool is_guarded = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::Directive) {
      const DirectiveParts directive = parts_of_directive(at(i));
      is_guarded |= guards(directive, name);
      if (const std::string value = directive.name == "define" ? defined_value(directive.rest, name) : "";
          !value.empty() && !is_guarded)
        return OwnConstant{line_of(text, tokens[i].begin), true, value};
    }
    if (tokens[i].kind != TokenKind::Word || at(i) != name) continue;
    const bool assigned = at(i + 1) == "=" && at(i + 2) != "=";
    const bool declared = i > 0 && tokens[i - 1].kind == TokenKind::Word && !holds(kBeforeUse, at(i - 1));
    if (!assigned && !declared) continue;
    const bool has_number = assigned && i + 3 < tokens.size() && tokens[i + 2].kind == TokenKind::Number &&
                            (at(i + 3) == ";" || at(i + 3) == "," || at(i + 3) == "}");
    return OwnConstant{line_of(text, tokens[i].begin), false, has_number ? std::string(at(i + 2)) : ""};
  }
  return std::nullopt;
}

}  // namespace tilescope::source
