#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/message.h"

namespace tilescope {

/// A place in a text. Line and column count from 1; 0 means unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  bool operator==(const Location&) const = default;
};

enum class Severity { Note, Warning, Error };

/// One way to fix an error: values for settings, by name.
using FixIt = std::vector<std::pair<std::string, int64_t>>;

/// A place and a sentence that says what is wrong and what to do.
struct Diagnostic {
  Severity severity = Severity::Error;
  Location at;
  Message message;
  std::string source_line;        ///< The text at `at.line`, for the caret; empty if there is none.
  Message advice = {};            ///< The fixes as a sentence, if there are any or all were tried.
  std::vector<FixIt> fixes = {};  ///< Each fixes it by itself; the best first.
  std::string about =
      {};            ///< The key of a kernel's description that it is about, "launch.block"; empty if not a single one.
  int ptx_line = 0;  ///< Of a problem in PTX whose `at` is in the CUDA source: its line in the PTX.
};
using Diagnostics = std::vector<Diagnostic>;

/// An error without a place.
Diagnostic error(Message message);
/// An error at a place.
Diagnostic error_at(Location at, Message message, std::string source_line = {});

/// The message and the advice, if any.
Message sentence_of(const Diagnostic& diagnostic);
/// The same in the reader's current language.
std::string text_of(const Diagnostic& diagnostic);
/// "file:line:column: error: message", then the source line and a caret under the column, if known.
std::string to_string(const Diagnostic& diagnostic);
/// The same for each, separated by newlines.
std::string to_string(const Diagnostics& diagnostics);

bool has_errors(const Diagnostics& diagnostics);

}  // namespace tilescope
