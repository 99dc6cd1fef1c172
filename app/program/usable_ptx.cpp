#include "program/usable_ptx.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace tilescope::program {
namespace {

/// A function with its body, from its first character to after its closing brace.
struct Extent {
  std::string name;
  size_t begin = 0, end = 0;
  int first_line = 0, last_line = 0;
};

std::string name_behind(std::string_view head, std::string_view keyword) {
  size_t at = head.find(keyword) + keyword.size();
  // A function's return value is in parentheses before its name.
  const size_t first = head.find_first_not_of(" \t\r\n", at);
  if (first != std::string_view::npos && head[first] == '(') at = head.find(')', first) + 1;
  const size_t begin = std::min(head.find_first_not_of(" \t\r\n", at), head.size());
  return std::string(head.substr(begin, head.find_first_of(" \t\r\n(", begin) - begin));
}

/// How many braces a line opens more than it closes; comments have none that count.
int depth_of(std::string_view line) {
  line = line.substr(0, line.find("//"));
  return static_cast<int>(std::count(line.begin(), line.end(), '{') - std::count(line.begin(), line.end(), '}'));
}

bool begins_function(std::string_view line) {
  return line.starts_with('.') && (line.find(".entry ") != line.npos || line.find(".func ") != line.npos);
}

/// The functions with a body. nvcc begins each on a line of its own.
std::vector<Extent> functions_of(std::string_view text) {
  std::vector<Extent> functions;
  std::optional<Extent> open;
  int number = 0, depth = 0;
  bool has_body = false;
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    ++number;
    if (!open && begins_function(line)) {
      open = Extent{{}, at, 0, number, 0};
      depth = 0;
      has_body = false;
    }
    if (!open) continue;
    depth += depth_of(line);
    has_body |= line.find('{') != line.npos;
    if (!has_body && line.ends_with(';')) open.reset();  // A declaration.
    if (!has_body || depth > 0) continue;
    const std::string_view whole = text.substr(open->begin, end - open->begin);
    open->name = name_behind(whole, whole.find(".entry ") < whole.find(".func ") ? ".entry" : ".func");
    open->end = end;
    open->last_line = number;
    functions.push_back(std::move(*open));
    open.reset();
  }
  return functions;
}

void blank(std::string& text, const Extent& function) {
  std::replace_if(
      text.begin() + static_cast<int64_t>(function.begin), text.begin() + static_cast<int64_t>(function.end),
      [](char c) { return c != '\n'; }, ' ');
}

}  // namespace

Result<UsablePtx> parse_usable(std::string text, const std::string& file_name) {
  UsablePtx usable;
  while (true) {
    Result<ptx::Module> module = ptx::parse(text, file_name);
    if (module) {
      usable.module = std::move(*module);
      return usable;
    }
    bool changed = false;
    for (const Extent& function : functions_of(text)) {
      Diagnostics own;
      for (const Diagnostic& problem : module.errors()) {
        const int line = problem.ptx_line > 0 ? problem.ptx_line : problem.at.line;
        if (line >= function.first_line && line <= function.last_line) own.push_back(problem);
      }
      if (own.empty()) continue;
      blank(text, function);
      usable.left_out.emplace(function.name, std::move(own));
      changed = true;
    }
    if (!changed) return module.errors();
  }
}

}  // namespace tilescope::program
