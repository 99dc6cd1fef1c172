#include "base/diagnostic.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace tilescope {
namespace {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::Note: return "note";
    case Severity::Warning: return "warning";
    case Severity::Error: return "error";
  }
  return "error";
}

std::string place(const Location& at) {
  std::string text;
  if (!at.file.empty()) text = at.file + ":";
  if (at.line > 0) text += fmt::format("{}:", at.line);
  if (at.line > 0 && at.column > 0) text += fmt::format("{}:", at.column);
  return text.empty() ? text : text + " ";
}

// Tabs are kept in the padding so that the caret is under the character whatever a tab's width.
std::string caret(const Diagnostic& diagnostic) {
  const auto column = static_cast<size_t>(diagnostic.at.column);
  if (diagnostic.source_line.empty() || column == 0 || column > diagnostic.source_line.size() + 1) return {};
  std::string padding = diagnostic.source_line.substr(0, column - 1);
  std::replace_if(
      padding.begin(), padding.end(), [](char c) { return c != '\t'; }, ' ');
  return fmt::format("\n  {}\n  {}^", diagnostic.source_line, padding);
}

}  // namespace

Diagnostic error(Message message) { return {Severity::Error, {}, std::move(message), {}, {}, {}}; }

Diagnostic error_at(Location at, Message message, std::string source_line) {
  return {Severity::Error, std::move(at), std::move(message), std::move(source_line), {}, {}};
}

Message sentence_of(const Diagnostic& diagnostic) {
  return diagnostic.advice.empty() ? diagnostic.message : Message("{} {}", diagnostic.message, diagnostic.advice);
}

std::string text_of(const Diagnostic& diagnostic) { return sentence_of(diagnostic).text(); }

std::string to_string(const Diagnostic& diagnostic) {
  return fmt::format("{}{}: {}{}", place(diagnostic.at), name_of(diagnostic.severity), text_of(diagnostic),
                     caret(diagnostic));
}

std::string to_string(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(diagnostic);
  }
  return text;
}

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

}  // namespace tilescope
