#include "compile/compiler_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "compile/request_check.h"

namespace tilescope::compile {
namespace {

// Removes the number at the start of `text` and returns it; 0 if there is none.
uint64_t take_number(std::string_view& text) {
  uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return problem == std::errc{} ? value : 0;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// The name of a deeply nested template can fill pages.
std::string shorten(std::string_view message) {
  constexpr size_t kLongest = 500;
  return message.size() <= kLongest ? std::string(message) : std::string(message.substr(0, kLongest)) + "...";
}

/// A severity as the front end writes it, after which comes " #177-D" or ":".
struct SeverityWord {
  std::string_view word;
  Severity severity;
};
constexpr std::array<SeverityWord, 6> kSeverities{{{"catastrophic error", Severity::Error},
                                                   {"internal error", Severity::Error},
                                                   {"error", Severity::Error},
                                                   {"warning", Severity::Warning},
                                                   {"remark", Severity::Note},
                                                   {"note", Severity::Note}}};

bool take_severity(std::string_view& text, Severity& severity) {
  for (const SeverityWord& candidate : kSeverities)
    if (take_prefix(text, candidate.word)) {
      severity = candidate.severity;
      return true;
    }
  return false;
}

/// The source line of each line of a PTX text, by its .loc directives; 0 before the first.
int source_line_of(std::string_view ptx, uint64_t ptx_line) {
  int source_line = 0;
  for (uint64_t line = 1; line <= ptx_line && !ptx.empty(); ++line) {
    const size_t end = ptx.find('\n');
    std::string_view text = trimmed(ptx.substr(0, end));
    if (take_prefix(text, ".loc")) {
      text = trimmed(text);
      const uint64_t file = take_number(text);
      text = trimmed(text);
      if (file == 1) source_line = static_cast<int>(take_number(text));
    }
    ptx.remove_prefix(end == ptx.npos ? ptx.size() : end + 1);
  }
  return source_line;
}

// k.cu:12:9: error: use of undeclared identifier 'x'
// "error: " and the like without a place: of the command line.
std::optional<Diagnostic> read_clang_line(std::string_view line, const Request& request) {
  Diagnostic diagnostic;
  diagnostic.at.file = request.file_name;
  if (size_t at = line.find(": "); at != line.npos && !take_prefix(line, "clang: ") && !line.starts_with("error:")) {
    std::string_view place = line.substr(0, at);
    line.remove_prefix(at + 2);
    take_prefix(place, "./");
    const size_t column = place.rfind(':');
    const size_t row = column == place.npos || column == 0 ? place.npos : place.rfind(':', column - 1);
    if (row == place.npos) return std::nullopt;
    if (place.substr(0, row) != compiled_name(request)) diagnostic.at.file = place.substr(0, row);
    std::string_view number = place.substr(row + 1, column - row - 1);
    diagnostic.at.line = static_cast<int>(take_number(number));
    number = place.substr(column + 1);
    diagnostic.at.column = static_cast<int>(take_number(number));
  }
  take_prefix(line, "fatal ");
  if (!take_severity(line, diagnostic.severity) || !take_prefix(line, ": ")) return std::nullopt;
  diagnostic.message = shorten(line);
  if (diagnostic.at.file == request.file_name)
    diagnostic.source_line = line_at(request.source, diagnostic.at.line);
  return diagnostic;
}

class LogReader {
 public:
  LogReader(std::string_view log, std::string_view ptx, const Request& request)
      : log_(log), ptx_(ptx), request_(request), compiled_name_(compiled_name(request)) {}

  CompilerLog read() {
    while (!log_.empty()) {
      const std::string_view line = next_line();
      if (!read_resources(line) && !read_assembler(line) && !read_front_end(line) && !read_preprocessor(line))
        read_complaint(line);
    }
    return std::move(result_);
  }

 private:
  std::string_view next_line() {
    const size_t end = log_.find('\n');
    const std::string_view line = log_.substr(0, end);
    log_.remove_prefix(end == log_.npos ? log_.size() : end + 1);
    return line;
  }

  // ptxas info    : Used 112 registers, used 1 barriers, 8192 bytes smem, 400 bytes cmem[0]
  bool read_resources(std::string_view line) {
    if (!take_prefix(line, "ptxas")) return false;
    line = trimmed(line);
    if (take_prefix(line, ".") || take_prefix(line, "info")) {
      line.remove_prefix(std::min(line.find_first_not_of(" :"), line.size()));
      if (take_prefix(line, "Compiling entry function '"))
        result_.resources.push_back({.entry = std::string(line.substr(0, line.find('\'')))});
      else if (!result_.resources.empty())
        read_quantities(line, result_.resources.back());
      return true;
    }
    return false;
  }

  static void read_quantities(std::string_view line, Resources& resources) {
    while (!line.empty()) {
      const size_t comma = line.find(',');
      std::string_view part = trimmed(line.substr(0, comma));
      line.remove_prefix(comma == line.npos ? line.size() : comma + 1);
      if (!take_prefix(part, "Used ")) take_prefix(part, "used ");
      const uint64_t number = take_number(part);
      part = trimmed(part);
      if (part == "registers") resources.registers = static_cast<uint32_t>(number);
      if (part == "barriers") resources.barriers = static_cast<uint32_t>(number);
      if (part == "bytes smem") resources.static_shared_bytes = number;
      if (part.starts_with("bytes cmem")) resources.constant_bytes += number;
      if (part == "bytes stack frame") resources.stack_frame_bytes = number;
      if (part == "bytes spill stores") resources.spill_store_bytes = number;
      if (part == "bytes spill loads") resources.spill_load_bytes = number;
    }
  }

  // ptxas application ptx input, line 30; fatal   : Parsing error near '.include': syntax error
  // ptxas /tmp/k.ptx, line 30; fatal   : ... (by nvcc)
  // ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)
  bool read_assembler(std::string_view line) {
    if (!take_prefix(line, "ptxas")) return false;
    line = trimmed(line);
    Location at{request_.file_name};
    constexpr std::string_view kLine = ", line ";
    if (const size_t place = line.find(kLine); place < line.find(';')) {
      line.remove_prefix(place + kLine.size());
      at.line = source_line_of(ptx_, take_number(line));
    }
    line.remove_prefix(std::min(line.find_first_not_of("; "), line.size()));
    const size_t colon = line.find(':');
    if (colon == line.npos) return true;
    const bool is_warning = line.starts_with("warning");
    const std::string_view message = trimmed(line.substr(colon + 1));
    if (message == "Ptx assembly aborted due to errors") return true;
    result_.diagnostics.push_back({is_warning ? Severity::Warning : Severity::Error, at,
                                   "the assembler ptxas says: " + std::string(message),
                                   std::string(line_at(request_.source, at.line))});
    return true;
  }

  // k.cu(12): warning #177-D: variable "y" was declared but never referenced, then the line and a caret.
  // At end of source: error: expected a "}"
  bool read_front_end(std::string_view line) {
    Diagnostic diagnostic;
    if (!take_place(line, diagnostic.at) || !take_severity(line, diagnostic.severity)) return false;
    const size_t colon = line.find(": ");
    if (colon == line.npos) return false;
    diagnostic.message = shorten(line.substr(colon + 2));
    read_caret(diagnostic);
    result_.diagnostics.push_back(std::move(diagnostic));
    return true;
  }

  bool take_place(std::string_view& line, Location& at) const {
    if (take_prefix(line, "At end of source: ")) {
      const auto breaks = std::count(request_.source.begin(), request_.source.end(), '\n');
      at = {request_.file_name, static_cast<int>(breaks) + (request_.source.ends_with('\n') ? 0 : 1)};
      return true;
    }
    const size_t end = line.find("): ");
    const size_t open = line.rfind('(', end);
    if (end == line.npos || open == line.npos) return false;
    at.file = line.substr(0, open);
    if (at.file == compiled_name_) at.file = request_.file_name;
    line.remove_prefix(open + 1);
    at.line = static_cast<int>(take_number(line));
    return at.line > 0 && take_prefix(line, "): ");
  }

  // The lines of a diagnostic are indented; a blank one with a ^ is below the source.
  void read_caret(Diagnostic& diagnostic) {
    while (log_.starts_with("  ")) {
      const std::string_view line = next_line();
      const size_t caret = line.find_first_not_of(" \t");
      if (caret != line.npos && caret >= 2 && line.substr(caret) == "^" && diagnostic.at.column == 0)
        diagnostic.at.column = static_cast<int>(caret - 2 + 1);
    }
    if (diagnostic.at.file == request_.file_name) diagnostic.source_line = line_at(request_.source, diagnostic.at.line);
  }

  // gcc, before nvcc compiles: k.cu:3:10: fatal error: elsewhere.h: No such file or directory
  bool read_preprocessor(std::string_view line) {
    auto diagnostic = read_clang_line(line, request_);
    if (diagnostic) result_.diagnostics.push_back(std::move(*diagnostic));
    return diagnostic.has_value();
  }

  // Of the program itself, such as of its options.
  void read_complaint(std::string_view line) {
    constexpr std::array<std::pair<std::string_view, const char*>, 5> kBegins{{{"nvrtc: error: ", "NVRTC"},
                                                                               {"nvcc fatal   : ", "nvcc"},
                                                                               {"nvcc error   : ", "nvcc"},
                                                                               {"gcc: fatal error: ", "gcc"},
                                                                               {"gcc: error: ", "gcc"}}};
    for (const auto& [begin, who] : kBegins)
      if (take_prefix(line, begin))
        result_.diagnostics.push_back(error_at({request_.file_name}, fmt::format("{} says: {}", who, line)));
  }

  std::string_view log_, ptx_;
  const Request& request_;
  std::string compiled_name_;
  CompilerLog result_;
};

/// Leaves out warnings and notes after the first hundred, and says so.
void shorten_list(Diagnostics& diagnostics) {
  constexpr size_t kMost = 100;
  size_t others = 0;
  std::erase_if(diagnostics,
                [&](const Diagnostic& each) { return each.severity != Severity::Error && ++others > kMost; });
  if (others <= kMost) return;
  Diagnostic note = error(Message("{} further messages of the compiler are left out.", others - kMost));
  note.severity = Severity::Note;
  diagnostics.push_back(std::move(note));
}

}  // namespace

std::string compiled_name(const Request& request) {
  std::string name = std::filesystem::path(request.file_name).filename().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == '"' || c == '\\' || c == 0x7f; }, '_');
  return name.empty() ? "kernel.cu" : name.substr(0, 200);
}

CompilerLog read_clang_log(std::string_view log, const Request& request) {
  CompilerLog result;
  for (const std::string& line : lines_of(log))
    if (auto diagnostic = read_clang_line(line, request)) result.diagnostics.push_back(std::move(*diagnostic));
  shorten_list(result.diagnostics);
  return result;
}

CompilerLog read_log(std::string_view log, std::string_view ptx, const Request& request) {
  CompilerLog result = LogReader(log, ptx, request).read();
  shorten_list(result.diagnostics);
  return result;
}

}  // namespace tilescope::compile
