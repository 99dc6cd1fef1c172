#pragma once

#include <cstdint>
#include <functional>
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

/// All values that something may have, both ends included.
struct Range {
  int64_t least = 0, greatest = 0;
};
/// The range of a variable of a kernel's body, "i" or "threadIdx.x", of an array that of its elements; nullopt if
/// nothing is known of it.
using Variable = std::function<std::optional<Range>(const std::string&)>;

/// The range of an expression of a kernel's body; x % 64 and x & 63 have one whatever x is.
std::optional<Range> range_of(const std::string& expression, const Names& names, const Variable& variable);

}  // namespace tilescope::source
