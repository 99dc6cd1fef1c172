#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ptx/module.h"
#include "ptx/module_parser.h"

namespace tilescope::ptx {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Result<Module> parse(std::string_view text, std::string file_name, Diagnostics* warnings) {
  if (text.size() > kMaxBytes)
    return error_at({file_name, 0, 0},
                    fmt::format("the PTX text has {} MiB; at most 64 MiB are read", text.size() >> 20));
  TokenStream tokens(text, file_name);
  Module module = ModuleParser(tokens).parse();
  Diagnostics& diagnostics = tokens.diagnostics();
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.at.line < b.at.line; });
  if (has_errors(diagnostics)) return std::move(diagnostics);
  module.file_name = std::move(file_name);
  module.lines = split_lines(text);
  Diagnostics problems = verify(module);
  if (has_errors(problems)) return problems;
  if (warnings) *warnings = std::move(diagnostics);
  return module;
}

}  // namespace tilescope::ptx
