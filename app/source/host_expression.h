#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "source/program.h"

namespace tilescope::source {

/// What names in a launch's expressions stand for.
struct Names {
  const Program* program = nullptr;          ///< Its constants, macros and one-line functions.
  const Launch* launch = nullptr;            ///< Its variables; may be null.
  std::map<std::string, std::string> known;  ///< Names that are given, in place of all others: "n" is "N".
};

/// A host expression as a description writes it: whole numbers, + - * / % and comparisons, ceil_div, min, max; casts
/// are away, constants are folded. Nothing when it calls or names what is not known.
std::optional<std::string> translate(const std::string& expression, const Names& names);

/// Its value where it is a constant.
std::optional<int64_t> constant_value(const std::string& expression, const Names& names);

}  // namespace tilescope::source
