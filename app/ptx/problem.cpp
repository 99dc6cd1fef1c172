#include "ptx/problem.h"

#include <utility>

namespace tilescope::ptx {

const SourceLine& place_of(const Instruction& instruction) {
  return instruction.called_from.file >= 0 && instruction.called_from.file != instruction.source.file
             ? instruction.called_from
             : instruction.source;
}

void place_in_source(Diagnostic& diagnostic, const SourceLine& place, const std::vector<std::string>& files) {
  const bool is_known = place.line > 0 && place.file >= 0 && static_cast<size_t>(place.file) < files.size();
  if (!is_known || files[static_cast<size_t>(place.file)].empty()) return;
  diagnostic.ptx_line = diagnostic.at.line;
  diagnostic.at = {files[static_cast<size_t>(place.file)], place.line, 0};
}

Diagnostic problem_with(const Module& module, const Instruction& at, std::string message) {
  const auto line = static_cast<size_t>(at.line);
  const bool has_text = line > 0 && line <= module.lines.size();
  Diagnostic problem = error_at({module.file_name, at.line, at.column}, std::move(message),
                                has_text ? module.lines[line - 1] : std::string());
  place_in_source(problem, place_of(at), module.files);
  return problem;
}

}  // namespace tilescope::ptx
