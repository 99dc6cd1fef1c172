#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// A place in a text. Line and column count from 1; 0 means unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  bool operator==(const Location&) const = default;
};

enum class Severity { Note, Warning, Error };

/// A place and a sentence that tells the user what is wrong and what to do.
struct Diagnostic {
  Severity severity = Severity::Error;
  Location at;
  std::string message;
  std::string source_line;  ///< The text at `at.line`, for the caret; empty when there is none.
};
using Diagnostics = std::vector<Diagnostic>;

/// An error without a place.
Diagnostic error(std::string message);
/// An error at a place.
Diagnostic error_at(Location at, std::string message, std::string source_line = {});

/// "file:line:column: error: message", then the source line and a caret under the column where known.
std::string to_string(const Diagnostic& diagnostic);
/// The same for each, a newline between.
std::string to_string(const Diagnostics& diagnostics);

bool has_errors(const Diagnostics& diagnostics);

}  // namespace tilescope
