#include "source/launch_macro.h"

#include <algorithm>
#include <map>
#include <set>

#include "source/program.h"

namespace tilescope::source {
namespace {

constexpr int kDeepestMacro = 16;                 // Macros in macros.
constexpr size_t kLargestText = size_t{8} << 20;  // Beyond it macros are no longer expanded.

struct Macro {
  bool takes_arguments = false;
  std::vector<std::string> parameters;  ///< The last may be "...".
  std::string body;                     ///< On one line, without comments.
};
using Macros = std::map<std::string, Macro, std::less<>>;

/// Without comments and line ends; separate words stay separate.
std::string on_one_line(std::string_view text) {
  std::string result;
  size_t end = 0;
  for (const Token& token : tokenize(text)) {
    const std::string_view word = text_of(text, token);
    if (word == "\\") continue;
    if (token.begin > end && !result.empty()) result += ' ';
    result += word;
    end = token.end;
  }
  return result;
}

void add_macro(std::string_view directive, Macros& macros) {
  const auto [kind, rest] = parts_of_directive(directive);
  if (kind != "define") return;
  const size_t name_end = std::min(rest.find_first_of("( \t\r\n\\"), rest.size());
  Macro macro;
  std::string_view body = rest.substr(name_end);
  if (body.starts_with('(')) {
    const size_t close = body.find(')');
    if (close == body.npos) return;
    macro.takes_arguments = true;
    macro.parameters = split_list(on_one_line(body.substr(1, close - 1)));
    body = body.substr(close + 1);
  }
  macro.body = on_one_line(body);
  macros.insert_or_assign(std::string(rest.substr(0, name_end)), std::move(macro));
}

bool mentions_any(const std::string& text, const std::set<std::string, std::less<>>& words) {
  const Tokens tokens = tokenize(text);
  return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
    return token.kind == TokenKind::Word && words.contains(text_of(text, token));
  });
}

/// Only those that launch, directly or through another.
Macros launching(const Macros& macros) {
  std::set<std::string, std::less<>> names;
  for (const auto& [name, macro] : macros)
    if (macro.body.find("<<<") != std::string::npos) names.insert(name);
  for (int i = 0; i < kDeepestMacro; ++i)
    for (const auto& [name, macro] : macros)
      if (mentions_any(macro.body, names)) names.insert(name);
  Macros result;
  for (const std::string& name : names) result.insert(*macros.find(name));
  return result;
}

void trim_end(std::string& text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
}

/// The argument for a parameter's name in the body; null if it is not a parameter.
const std::string* argument_of(const Macro& macro, std::string_view word, const std::vector<std::string>& arguments) {
  static const std::string kNothing;
  for (size_t i = 0; i < macro.parameters.size(); ++i) {
    const bool rest = macro.parameters[i] == "...";
    if (rest ? word == "__VA_ARGS__" : word == macro.parameters[i])
      return i < arguments.size() ? &arguments[i] : &kNothing;
  }
  return nullptr;
}

/// The body with its arguments, `#` and `##` applied.
std::string filled_in(const Macro& macro, std::vector<std::string> arguments) {
  const size_t last = macro.parameters.empty() ? 0 : macro.parameters.size() - 1;
  if (!macro.parameters.empty() && macro.parameters.back() == "...")
    while (arguments.size() > last + 1) {
      arguments[last] += ", " + arguments[last + 1];
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    }
  std::string result;
  const Tokens tokens = tokenize(macro.body);
  const auto word = [&](size_t i) { return i < tokens.size() ? text_of(macro.body, tokens[i]) : std::string_view{}; };
  size_t end = 0;
  bool pastes = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].begin > end && !pastes) result += ' ';
    end = tokens[i].end;
    if (word(i) == "#" && word(i + 1) == "#") {
      trim_end(result);
      pastes = true;
      end = tokens[++i].end;
      continue;
    }
    const bool quotes = word(i) == "#" && argument_of(macro, word(i + 1), arguments);
    const std::string* argument = argument_of(macro, word(quotes ? i + 1 : i), arguments);
    if (quotes) end = tokens[++i].end;
    if (pastes && argument && argument->empty() && result.ends_with(',')) result.pop_back();
    result += quotes ? "\"" + *argument + "\"" : argument ? *argument : std::string(word(i));
    pastes = false;
  }
  return result;
}

class Expander {
 public:
  explicit Expander(const Macros& macros) : macros_(macros) {}

  std::string expand(const std::string& text, int depth) {
    std::string result;
    const Tokens tokens = tokenize(text);
    size_t done = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const auto found = macros_.find(text_of(text, tokens[i]));
      if (tokens[i].kind != TokenKind::Word || found == macros_.end() || depth == 0 || made_ > kLargestText) continue;
      size_t last = i;
      std::vector<std::string> arguments;
      if (found->second.takes_arguments) {
        if (i + 1 >= tokens.size() || text_of(text, tokens[i + 1]) != "(") continue;
        last = closing(text, tokens, i + 1);
        if (last >= tokens.size()) continue;
        arguments =
            split_list(std::string_view(text).substr(tokens[i + 1].end, tokens[last].begin - tokens[i + 1].end));
        for (std::string& argument : arguments) argument = on_one_line(argument);
      }
      result.append(text, done, tokens[i].begin - done);
      const std::string body = filled_in(found->second, std::move(arguments));
      made_ += body.size();
      result += expand(body, depth - 1);
      done = tokens[last].end;
      const auto begin = text.begin() + static_cast<std::ptrdiff_t>(tokens[i].begin);
      result.append(static_cast<size_t>(std::count(begin, text.begin() + static_cast<std::ptrdiff_t>(done), '\n')),
                    '\n');
      i = last;
    }
    return result.append(text, done);
  }

 private:
  const Macros& macros_;
  size_t made_ = 0;
};

}  // namespace

std::string expand_launch_macros(const std::string& text, const std::vector<File>& headers) {
  Macros macros;
  const auto add = [&](const std::string& of) {
    for (const Token& token : tokenize(of))
      if (token.kind == TokenKind::Directive) add_macro(text_of(of, token), macros);
  };
  for (const File& header : headers) add(header.text);
  add(text);
  macros = launching(macros);
  return macros.empty() ? text : Expander(macros).expand(text, kDeepestMacro);
}

}  // namespace tilescope::source
