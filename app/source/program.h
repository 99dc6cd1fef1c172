#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "source/headers.h"
#include "source/outline.h"

namespace tilescope::source {

/// A parameter of a kernel, or of a template.
struct Parameter {
  std::string type;  ///< Without const, * and restrict: "float", "unsigned int", "T".
  std::string name;
  std::string initial;  ///< The default; empty if there is none.
  bool is_pointer = false, is_const = false;
  bool operator==(const Parameter&) const = default;
};

/// A __global__ function.
struct Kernel {
  std::string name;  ///< With its namespaces: "a::tile".
  size_t file = 0;   ///< 0 for the text itself, n for the n-th header.
  int line = 0;
  std::vector<Parameter> template_parameters;
  std::vector<Parameter> parameters;
  std::string body;           ///< With its braces.
  std::string launch_bounds;  ///< The first argument of __launch_bounds__; empty without.
};

/// NAME(a, b) means `meaning`: a function-like macro, or a function whose body is one return.
struct Meaning {
  std::vector<std::string> parameters;
  std::string text;
};

/// name<<<grid, block, shared>>>(arguments), and the variables set before it in its function.
struct LaunchStatement {
  std::string kernel;  ///< As written, without template arguments.
  std::vector<std::string> template_arguments;
  std::string grid, block, shared;  ///< Expressions; `shared` may be empty.
  std::vector<std::string> arguments;
  int line = 0;
  std::map<std::string, std::string> values;                  ///< The values of variables.
  std::map<std::string, std::array<std::string, 3>> extents;  ///< Of each dim3 variable.
  /// Its function, and the names of the template parameters; their values are in `values` if the file instantiates it
  /// explicitly or calls it with them.
  std::string function;
  std::vector<std::string> function_parameters;
};

/// What reading a program shows.
struct Program {
  std::vector<Kernel> kernels;  ///< Those with a body, those of the text itself first.
  std::vector<LaunchStatement> launches;
  std::map<std::string, std::string> constants;  ///< Object-like macros and constants outside of functions.
  std::map<std::string, Meaning> meanings;
  std::set<std::string> structures;  ///< The names of its structures and classes.
};
Program read_program(const std::string& text, const std::vector<File>& headers);

/// "f(a, b), c" split at commas outside of brackets; the parts are trimmed.
std::vector<std::string> split_list(std::string_view text);

}  // namespace tilescope::source
