#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "source/program.h"

namespace tilescope::source {

/// The meanings of names in a launch's expressions.
struct Names {
  const Program* program = nullptr;          ///< Its constants, macros and one-line functions.
  const LaunchStatement* launch = nullptr;   ///< Its variables; may be null.
  std::map<std::string, std::string> known;  ///< Given names, which override all others: "n" is "N".
};

/// A host expression as a description writes it: whole numbers, + - * / % and comparisons, ceil_div, min, max; casts
/// are removed, constants are folded. Nullopt if it calls or names anything unknown.
std::optional<std::string> translate(const std::string& expression, const Names& names);

/// Its value if it is a constant.
std::optional<int64_t> constant_value(const std::string& expression, const Names& names);

}  // namespace tilescope::source
