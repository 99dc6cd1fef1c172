#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "ptx/module.h"
#include "ptx/module_parser.h"

namespace tilescope::ptx {
namespace {

constexpr size_t kMaxBytes = size_t{64} << 20;

}  // namespace

Result<Module> parse(std::string_view text, std::string file_name, Diagnostics* warnings) {
  if (text.size() > kMaxBytes)
    return error_at({file_name, 0, 0},
                    fmt::format("the PTX text has {} MiB; at most 64 MiB are read", text.size() >> 20));
  TokenStream tokens(text, file_name);
  Module module = ModuleParser(tokens).parse();
  Diagnostics diagnostics = tokens.diagnostics(module.files);
  if (has_errors(diagnostics)) return diagnostics;
  module.file_name = std::move(file_name);
  module.lines = lines_of(text);
  Diagnostics problems = verify(module);
  if (has_errors(problems)) return problems;
  if (warnings) *warnings = std::move(diagnostics);
  return module;
}

}  // namespace tilescope::ptx
