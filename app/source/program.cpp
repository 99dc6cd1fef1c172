#include "source/program.h"

#include <algorithm>

#include "source/launch_macro.h"

namespace tilescope::source {
namespace {

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\\";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1));
}

/// The token that ends the <...> at `open`; `end` if it is not closed.
size_t closing_angle(const Outline& outline, size_t open, size_t end) {
  int depth = 0;
  for (size_t i = open; i < end; ++i) {
    const std::string_view token = outline.token(i);
    if (token == "(" || token == "{" || token == "[") i = closing(outline.text, outline.tokens, i);
    if (token == "<") ++depth;
    if (token == ">" && --depth == 0) return i;
  }
  return end;
}

Parameter read_parameter(std::string_view text) {
  Parameter result;
  const Tokens tokens = tokenize(text);
  size_t last = tokens.size();
  for (size_t i = 0; i < tokens.size(); ++i)
    if (text_of(text, tokens[i]) == "=") {
      last = i;
      result.initial = trimmed(text.substr(tokens[i].end));
      break;
    }
  std::vector<std::string> words;
  for (size_t i = 0; i < last; ++i) {
    const std::string_view token = text_of(text, tokens[i]);
    if (token == "const") result.is_const = true;
    if (token == "*" || token == "[") result.is_pointer = true;
    if (token == "[") break;
    if (token == "const" || token == "*" || token == "&" || token == "volatile" || token.starts_with("__restrict") ||
        token == "restrict")
      continue;
    words.emplace_back(token);
  }
  if (words.empty()) return result;
  result.name = words.back();
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const bool joined = result.type.ends_with(':') || words[i] == ":" || result.type.empty();
    result.type += joined ? words[i] : " " + words[i];
  }
  return result;
}

std::vector<Parameter> read_parameters(std::string_view list) {
  std::vector<Parameter> parameters;
  for (const std::string& part : split_list(list))
    if (part != "void") parameters.push_back(read_parameter(part));
  return parameters;
}

Kernel read_kernel(const Outline& outline, const Item& item, size_t file) {
  Kernel kernel;
  kernel.name = item.scope + item.names.front();
  kernel.file = file;
  kernel.line = outline.line_of(item.parameters);
  if (outline.token(item.first) == "template") {
    const size_t end = closing_angle(outline, item.first + 1, item.last);
    kernel.template_parameters = read_parameters(outline.range(item.first + 2, end));
  }
  for (size_t i = item.first; i < item.body; ++i)
    if (outline.token(i) == "__launch_bounds__") {
      const auto bounds = split_list(outline.range(i + 2, closing(outline.text, outline.tokens, i + 1)));
      if (!bounds.empty()) kernel.launch_bounds = bounds.front();
    }
  const size_t close = std::min(closing(outline.text, outline.tokens, item.parameters), item.body);
  kernel.parameters = read_parameters(outline.range(item.parameters + 1, close));
  kernel.body = outline.range(item.body, item.last);
  return kernel;
}

constexpr size_t kLongestDeclaration = 200;  // Tokens of a value, and from dim3 to the last variable it declares.

constexpr const char* kUnknownValue = "?";  // No expression, so that nothing is made of it.

/// Goes through a host function's body from its start, with the variables known at each place.
class LaunchReader {
 public:
  LaunchReader(const Outline& outline, std::vector<LaunchStatement>& launches)
      : outline_(outline), launches_(launches) {}

  void read(size_t first, size_t last) {
    scopes_.assign(1, {});
    for (size_t i = first; i < last; ++i) {
      if (word(i) == "{") scopes_.push_back(scopes_.back());
      if (word(i) == "}" && scopes_.size() > 1) scopes_.pop_back();
      forget_set_by_call(i);
      if (is_run(i, "<<<"))
        i = read_launch(i, last);
      else if (kind(i) == TokenKind::Word)
        i = read_value(i, last);
    }
  }

 private:
  struct Known {
    std::map<std::string, std::string> values;
    std::map<std::string, std::array<std::string, 3>> extents;
  };

  std::string_view word(size_t i) const { return outline_.token(i); }
  TokenKind kind(size_t i) const { return i < outline_.tokens.size() ? outline_.tokens[i].kind : TokenKind::Mark; }
  size_t close(size_t open) const { return closing(outline_.text, outline_.tokens, open); }

  /// f(&name): what the call leaves in it is known when the program runs.
  void forget_set_by_call(size_t i) {
    if (word(i) != "&" || i == 0 || (word(i - 1) != "(" && word(i - 1) != ",")) return;
    if (kind(i + 1) != TokenKind::Word || (word(i + 2) != "," && word(i + 2) != ")")) return;
    scopes_.back().values[std::string(word(i + 1))] = kUnknownValue;
  }

  /// Whether three marks without blanks are at i: <<< or >>>.
  bool is_run(size_t i, std::string_view marks) const {
    if (i + 2 >= outline_.tokens.size()) return false;
    const size_t begin = outline_.tokens[i].begin;
    return std::string_view(outline_.text).substr(begin, 3) == marks;
  }

  /// name = value; name{value}, dim3 name(x, y, z), name.x = value. Returns the last token that it read.
  size_t read_value(size_t i, size_t last) {
    const std::string name(word(i));
    Known& known = scopes_.back();
    const std::string_view next = word(i + 1), before = i > 0 ? word(i - 1) : "";
    const bool is_declared = kind(i - 1) == TokenKind::Word && before != "return" && before != "else";
    const bool is_dim = next != "." && is_dim3(i);
    if (next == "=" && word(i + 2) != "=") {
      const size_t end = end_of_list_item(i + 2, last);
      const std::string value = trimmed(outline_.range(i + 2, end));
      if (before == "." && i >= 2)
        set_component(known, std::string(word(i - 2)), name, value);
      else if (is_dim)
        known.extents[name] = extents_of(value);
      else
        known.values[name] = value;
      return i + 1;
    }
    if ((next == "(" || next == "{") && (is_declared || (before == "," && is_dim))) {
      const size_t end = close(i + 1);
      if (end >= last) return i;
      const std::string value = trimmed(outline_.range(i + 2, end));
      if (is_dim)
        known.extents[name] = components(value);
      else
        known.values[name] = value;
      return end;
    }
    if (next == ";" && is_dim) known.extents[name] = {"1", "1", "1"};
    return i;
  }

  size_t end_of_list_item(size_t i, size_t last) const {
    const size_t most = std::min(last, i + kLongestDeclaration);
    for (; i < most && word(i) != ";" && word(i) != "," && word(i) != ")"; ++i)
      if (word(i) == "(" || word(i) == "{" || word(i) == "[") i = close(i);
    return std::min(i, last);
  }

  /// Whether `dim3` begins the declaration of this name: dim3 grid(4, 4), block(16).
  bool is_dim3(size_t i) const {
    int depth = 0;
    for (size_t at = i; at-- > 0 && at + kLongestDeclaration > i;) {
      const std::string_view token = word(at);
      if (token == ")" || token == "}") ++depth;
      if (depth == 0 && (token == ";" || token == "{" || token == "(")) return false;
      if (depth > 0 && (token == "(" || token == "{")) --depth;
      if (depth == 0 && token == "dim3") return true;
    }
    return false;
  }

  static std::array<std::string, 3> components(const std::string& list) {
    std::array<std::string, 3> result{"1", "1", "1"};
    const std::vector<std::string> parts = split_list(list);
    for (size_t d = 0; d < std::min<size_t>(3, parts.size()); ++d) result[d] = parts[d];
    return result;
  }

  /// Of dim3(x, y), {x, y} or a number.
  static std::array<std::string, 3> extents_of(const std::string& value) {
    const size_t open = value.find_first_of("({");
    if (open != value.npos && (open == 0 || trimmed(value.substr(0, open)) == "dim3"))
      return components(value.substr(open + 1, value.size() - open - 2));
    return {value, "1", "1"};
  }

  static void set_component(Known& known, const std::string& variable, const std::string& component,
                            const std::string& value) {
    const size_t d = component == "x" ? 0 : component == "y" ? 1 : component == "z" ? 2 : 3;
    auto found = known.extents.find(variable);
    if (d < 3 && found != known.extents.end()) found->second[d] = value;
  }

  size_t read_launch(size_t open, size_t last) {
    LaunchStatement launch;
    size_t name = open - 1;
    if (word(name) == ">") {
      int depth = 0;
      for (; name > 0; --name) {
        if (word(name) == ">") ++depth;
        if (word(name) == "<" && --depth == 0) break;
      }
      launch.template_arguments = split_list(outline_.range(name + 1, open - 1));
      if (name > 0) --name;
    }
    launch.kernel = word(name);
    launch.line = outline_.line_of(open);
    size_t end = open + 3;
    for (; end < last && !is_run(end, ">>>"); ++end)
      if (word(end) == "(" || word(end) == "{" || word(end) == "[") end = close(end);
    if (end >= last) return open + 2;
    const std::vector<std::string> shape = split_list(outline_.range(open + 3, end));
    if (shape.size() < 2 || kind(name) != TokenKind::Word) return end;
    launch.grid = shape[0];
    launch.block = shape[1];
    if (shape.size() > 2) launch.shared = shape[2];
    if (word(end + 3) == "(") launch.arguments = split_list(outline_.range(end + 4, close(end + 3)));
    launch.values = scopes_.back().values;
    launch.extents = scopes_.back().extents;
    launches_.push_back(std::move(launch));
    return end + 2;
  }

  const Outline& outline_;
  std::vector<LaunchStatement>& launches_;
  std::vector<Known> scopes_;
};

/// #define NAME value, #define NAME(a, b) value
void read_define(const Outline& outline, const Item& item, Program& program) {
  const std::string_view rest = parts_of_directive(outline.token(item.first)).rest;
  const std::string& name = item.names.front();
  if (rest.size() <= name.size() || name.empty()) return;
  if (rest[name.size()] != '(') {
    program.constants[name] = trimmed(rest.substr(name.size()));
    return;
  }
  const size_t end = rest.find(')');
  if (end == rest.npos) return;
  const std::string_view parameters = rest.substr(name.size() + 1, end - name.size() - 1);
  program.meanings[name] = {split_list(parameters), trimmed(rest.substr(end + 1))};
}

/// int ceil_div(int a, int b) { return (a + b - 1) / b; }
void read_function(const Outline& outline, const Item& item, Program& program) {
  if (item.body == 0 || item.names.empty() || outline.token(item.body + 1) != "return") return;
  size_t end = item.body + 2;
  while (end < item.last && outline.token(end) != ";") ++end;
  if (outline.token(end + 1) != "}") return;
  Meaning meaning;
  const size_t close = closing(outline.text, outline.tokens, item.parameters);
  for (const Parameter& parameter : read_parameters(outline.range(item.parameters + 1, close)))
    meaning.parameters.push_back(parameter.name);
  meaning.text = trimmed(outline.range(item.body + 2, end));
  program.meanings[item.names.front()] = std::move(meaning);
}

/// constexpr int kTile = 16; typedef float real;
void read_constant(const Outline& outline, const Item& item, Program& program) {
  if (outline.token(item.first) == "typedef" && item.last >= item.first + 4) {
    const std::string name(outline.token(item.last - 2));
    if (outline.token(item.first + 1) == "struct")
      program.structures.insert(name);
    else
      program.constants[name] = trimmed(outline.range(item.first + 1, item.last - 2));
    return;
  }
  if (outline.token(item.first) == "struct" || outline.token(item.first) == "class") {
    for (const std::string& name : item.names) program.structures.insert(name);
    return;
  }
  for (size_t i = item.first; i + 1 < item.last; ++i) {
    const std::string_view next = outline.token(i + 1);
    if (outline.tokens[i].kind != TokenKind::Word || (next != "=" && next != "{")) continue;
    size_t end = i + 2;
    const size_t most = std::min(item.last, end + kLongestDeclaration);
    while (end < most && outline.token(end) != ";" && outline.token(end) != "," && outline.token(end) != "}") ++end;
    program.constants[std::string(outline.token(i))] = trimmed(outline.range(i + 2, end));
  }
}

/// Sets the function of the launches from `first` on.
void name_function(const Outline& outline, const Item& item, size_t first, std::vector<LaunchStatement>& launches) {
  if (item.names.empty()) return;
  std::vector<std::string> names;
  if (outline.token(item.first) == "template")
    for (const Parameter& parameter :
         read_parameters(outline.range(item.first + 2, closing_angle(outline, item.first + 1, item.last))))
      names.push_back(parameter.name);
  for (size_t i = first; i < launches.size(); ++i) {
    launches[i].function = item.names.front();
    launches[i].function_parameters = names;
  }
}

/// template void launch<__half>(...); launch<1024, 4>(); the launches in that function are for the arguments that the
/// file gives first.
void read_instantiations(const std::string& text, std::vector<LaunchStatement>& launches) {
  const Tokens tokens = tokenize(text);
  const auto word = [&](size_t i) { return i < tokens.size() ? text_of(text, tokens[i]) : std::string_view(); };
  for (size_t name = 0; name + 2 < tokens.size(); ++name) {
    if (tokens[name].kind != TokenKind::Word || word(name + 1) != "<") continue;
    size_t close = name + 2;
    while (close < tokens.size() && word(close) != ">" && word(close) != ";") ++close;
    if (word(close) != ">" || word(close + 1) != "(") continue;
    const size_t begin = tokens[name + 1].end;
    const std::vector<std::string> given =
        split_list(std::string_view(text).substr(begin, tokens[close].begin - begin));
    for (LaunchStatement& launch : launches)
      if (launch.function == word(name))
        for (size_t p = 0; p < std::min(given.size(), launch.function_parameters.size()); ++p)
          launch.values.emplace(launch.function_parameters[p], given[p]);
  }
}

void read_outline(const Outline& outline, size_t file, Program& program) {
  for (const Item& item : outline.items) {
    if (item.kind == ItemKind::Define)
      read_define(outline, item, program);
    else if (item.kind == ItemKind::Other)
      read_constant(outline, item, program);
    else if (item.is_kernel && item.body && !item.names.empty())
      program.kernels.push_back(read_kernel(outline, item, file));
    else if (item.kind == ItemKind::Function && !item.is_kernel)
      read_function(outline, item, program);
    if (item.kind != ItemKind::Function || item.is_kernel || !item.body) continue;
    const size_t before = program.launches.size();
    LaunchReader(outline, program.launches).read(item.body, item.last);
    name_function(outline, item, before, program.launches);
  }
  read_instantiations(outline.text, program.launches);
}

}  // namespace

Program read_program(const std::string& text, const std::vector<File>& headers) {
  Markers markers;
  for (const File& header : headers) add_markers(header.text, tokenize(header.text), markers);
  add_markers(text, tokenize(text), markers);
  Program program;
  read_outline(outline_of(expand_launch_macros(text, headers), markers), 0, program);
  for (size_t i = 0; i < headers.size(); ++i) read_outline(outline_of(headers[i].text, markers), i + 1, program);
  return program;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  const Tokens tokens = tokenize(text);
  size_t begin = 0;
  int angles = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = text_of(text, tokens[i]);
    if (token == "(" || token == "[" || token == "{") i = closing(text, tokens, i);
    // `static_cast<a, b>` and `tile<a, b>`, not `a < b`: an angle bracket that follows a name without a blank.
    if (token == "<" && i > 0 && tokens[i - 1].kind == TokenKind::Word && tokens[i - 1].end == tokens[i].begin)
      ++angles;
    if (token == ">" && angles > 0) --angles;
    if (token != "," || angles > 0) continue;
    parts.push_back(trimmed(text.substr(begin, tokens[i].begin - begin)));
    begin = tokens[i].end;
  }
  const std::string last = trimmed(text.substr(begin));
  if (!last.empty() || !parts.empty()) parts.push_back(last);
  return parts;
}

}  // namespace tilescope::source
