#include "program/parameter_names.h"

#include <algorithm>
#include <cctype>

namespace tilescope::program {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Where the name begins as a separate word followed by an opening parenthesis, from `from` on; or npos.
size_t find_call(std::string_view source, std::string_view name, size_t from, size_t& open) {
  for (size_t at; (at = source.find(name, from)) != std::string_view::npos; from = at + 1) {
    open = source.find_first_not_of(" \t\r\n", at + name.size());
    const bool whole = (at == 0 || !in_name(source[at - 1])) && open != std::string_view::npos;
    if (whole && source[open] == '(') return at;
  }
  return std::string_view::npos;
}

/// Whether __global__ is before `at`, with no end of another declaration between.
bool is_kernel(std::string_view source, size_t at) {
  const std::string_view before = source.substr(0, at);
  const size_t keyword = before.rfind("__global__");
  if (keyword == std::string_view::npos) return false;
  return before.substr(keyword).find_first_of(";{}") == std::string_view::npos;
}

/// "rows" of "const int rows = 4", "in" of "float in[]".
std::string declared_name(std::string_view parameter) {
  parameter = parameter.substr(0, parameter.find('='));
  parameter = parameter.substr(0, parameter.find('['));
  size_t end = parameter.size();
  while (end > 0 && !in_name(parameter[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && in_name(parameter[begin - 1])) --begin;
  return std::string(parameter.substr(begin, end - begin));
}

}  // namespace

std::vector<std::string> parameter_names(std::string_view source, std::string_view kernel) {
  size_t open = 0, at = kernel.empty() ? std::string_view::npos : find_call(source, kernel, 0, open);
  while (at != std::string_view::npos && !is_kernel(source, at)) at = find_call(source, kernel, at + 1, open);
  if (at == std::string_view::npos) return {};
  std::vector<std::string> names;
  int depth = 0;
  for (size_t i = open, begin = open + 1; i < source.size(); ++i) {
    const char c = source[i];
    depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
    if (!(depth == 1 && c == ',') && depth != 0) continue;
    if (std::string name = declared_name(source.substr(begin, i - begin)); !name.empty())
      names.push_back(std::move(name));
    begin = i + 1;
    if (depth == 0) break;
  }
  return names;
}

}  // namespace tilescope::program
