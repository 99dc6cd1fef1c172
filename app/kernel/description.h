#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "base/tensor_map.h"
#include "kernel/expression.h"

/// Kernels as data: their text, parameters, limits and launch. kernels/README.md documents the file format.
namespace tilescope::kernel {

/// A number that is fixed when the kernel is compiled: `-DBM=64`.
struct Parameter {
  std::string name;
  std::string about;  ///< One sentence.
  /// The compiler switch that it stands for, "--use_fast_math" or "--maxrregcount=N"; its value takes N's place, and 0
  /// leaves the switch out. Empty: it is a macro.
  std::string option;
  int64_t default_value = 0;
  std::vector<int64_t> values;  ///< Every legal value, ascending, at least one.
  bool is_range = false;        ///< Given as min, max and step.
  int64_t step = 1;             ///< Of a range.
};

/// A value computed from M, N, K, the parameters and the derived values before it.
struct Derived {
  std::string name;
  Expression value;
};

/// What must hold besides the hardware's limits. `message` may hold expressions in braces: "BM = {BM}".
struct Constraint {
  Expression condition;  ///< Holds when it is not 0.
  std::string message;
};

/// What the kernel does with an array, as the launcher must prepare and check it.
enum class Role : uint8_t { Input, Output, InOut };

/// An array: an argument in global memory, or one of the kernel's static __shared__ arrays.
struct Array {
  std::string name;
  Space space = Space::Global;
  Element element = Element::F32;
  Role role = Role::Input;          ///< Global arrays only.
  std::vector<Expression> shape;    ///< Allocated extents, row-major, outermost first.
  std::vector<Expression> logical;  ///< The part that holds data, the rest being zeros. As many extents as `shape`.
  /// What every element of a global array starts at, in place of its role's values.
  std::optional<double> initial = {};
  /// The bytes that it starts with, where they are those of a program's launch; no file says them.
  std::shared_ptr<const std::string> content = {};
  /// The __shared__ array of the source that it is a part of; empty: it is one itself.
  std::string within = {};
  Expression at = {"0", {}};     ///< Bytes from that one's begin to its own.
  Expression pitch = {"0", {}};  ///< Bytes from one index of the first extent to the next; 0: they lie side by side.
  /// Extents, 0 the outermost, whose parts the stage draws beside one another; those of others stand below one another.
  std::vector<size_t> beside = {};
};

/// A tensor map as an argument: how TMA sees an array. Extents as of arrays, outermost first.
struct TensorArgument {
  int array = -1;                   ///< Index into Description::arrays.
  std::vector<Expression> shape;    ///< Of the tensor, one to five extents.
  std::vector<Expression> strides;  ///< In elements, of all dimensions but the innermost; empty: rows lie side by side.
  std::vector<Expression> box;      ///< As many extents as `shape`.
  Swizzle swizzle = Swizzle::None;
  bool rounds_to_tf32 = false;
};

/// One argument of the kernel, in the kernel's order.
struct Argument {
  std::string name;
  Element element = Element::I32;             ///< Of a scalar.
  int array = -1;                             ///< Index into Description::arrays; -1 for a scalar.
  Expression value;                           ///< Of an integer scalar.
  double real = 0;                            ///< Of a floating-point scalar.
  std::optional<TensorArgument> tensor = {};  ///< Of a tensor map, which has none of the above but its name.
};

/// Settings with a name: what lessons use and what PTX is prebuilt for.
struct Preset {
  std::string name;
  std::map<std::string, int64_t> settings;
};

/// Another kernel of the same file that computes what is expected of this one.
struct Reference {
  std::string entry;                    ///< Its __global__ function, of a template with its arguments.
  std::vector<Expression> block, grid;  ///< Both or neither; without: as the file launches it, else as this kernel.
  Expression dynamic_shared_bytes;
  std::vector<Argument> arguments;  ///< Empty: this kernel's.
};

/// What NN_name.toml says.
struct Description {
  std::string text;  ///< The file's.
  std::string title;
  std::string summary;
  std::string entry;                   ///< The __global__ function; empty: the only one.
  uint32_t capability = 0;             ///< The lowest compute capability with its instructions, 80 for 8.0; 0: any.
  bool architecture_specific = false;  ///< It has instructions of that one architecture alone: sm_90a.
  std::vector<Parameter> parameters;   ///< In the file's order, as are all that follow.
  std::vector<Derived> derived;
  std::vector<Constraint> constraints;
  std::optional<std::array<int64_t, 3>> size;  ///< M, N and K where none is asked for.
  std::vector<Expression> block, grid;         ///< One to three extents, x first.
  bool launch_guessed = false;                 ///< Nobody has said block and grid: a wrong result may be theirs.
  Expression dynamic_shared_bytes;
  bool cooperative = false;  ///< Its blocks wait for one another, so that all are on the GPU at once.
  std::vector<Array> arrays;
  std::vector<Argument> arguments;
  std::optional<Reference> reference;  ///< A matrix product needs none.
  std::vector<Preset> presets;

  const Parameter* parameter(std::string_view name) const;  ///< Null when there is none.
};

/// Reads a description. Errors, all of them, carry line, column and the line's text: malformed TOML, keys that are
/// missing or unknown (the nearest is named), names used twice, expressions that do not parse or name what is not
/// there.
Result<Description> parse_description(std::string_view toml, const std::string& file_name);

}  // namespace tilescope::kernel
