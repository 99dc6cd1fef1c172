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
  /// The compiler switch that it sets, "--use_fast_math" or "--maxrregcount=N"; its value takes N's place, and 0
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
  Expression condition;  ///< Holds if it is not 0.
  std::string message;
};

/// How the kernel uses an array: the launcher prepares and checks it accordingly.
enum class Role : uint8_t { Input, Output, InOut };

/// What an array held before a program's launch.
struct ArrayContent {
  struct Range {
    uint64_t first = 0, bytes = 0;
    bool operator==(const Range&) const = default;
  };
  std::string bytes;
  std::vector<Range> unwritten = {};  ///< The parts that nobody had written, ascending.
};

/// An array: an argument in global memory, or one of the kernel's static __shared__ arrays.
struct Array {
  std::string name;
  Space space = Space::Global;
  Element element = Element::F32;
  Role role = Role::Input;          ///< Global arrays only.
  std::vector<Expression> shape;    ///< Allocated extents, row-major, outermost first.
  std::vector<Expression> logical;  ///< The part that holds data, the rest being zeros. As many extents as `shape`.
  bool guessed = false;             ///< Nobody said `shape`. No key of the file.
  /// The initial value of all elements of a global array, instead of its role's.
  std::optional<double> initial = {};
  /// Its initial bytes, if they come from a program's launch; not in files.
  std::shared_ptr<const ArrayContent> content = {};
  /// The __shared__ array of the source that contains it; empty: it is itself one.
  std::string within = {};
  Expression at = {"0", {}};     ///< Bytes from that one's begin to its own.
  Expression pitch = {"0", {}};  ///< Bytes from one index of the first extent to the next; 0: they are contiguous.
  /// Extents, 0 the outermost, whose parts the stage draws side by side; those of others are drawn one below the other.
  std::vector<size_t> beside = {};
};

/// A tensor map as an argument: TMA's view of an array. Extents as in arrays, outermost first.
struct TensorArgument {
  int array = -1;                   ///< Index into Description::arrays.
  std::vector<Expression> shape;    ///< Of the tensor, one to five extents.
  std::vector<Expression> strides;  ///< In elements, of all dimensions but the innermost; empty: rows are contiguous.
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
  std::optional<TensorArgument> tensor = {};  ///< Of a tensor map, which has only this and its name.
};

/// Named settings: lessons use them and PTX is prebuilt for them.
struct Preset {
  std::string name;
  std::map<std::string, int64_t> settings;
};

/// Another kernel of the same file that computes the expected result.
struct Reference {
  std::string entry;                    ///< Its __global__ function, of a template with its arguments.
  std::vector<Expression> block, grid;  ///< Both or neither; if absent, as the file launches it, else as this kernel.
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
  bool architecture_specific = false;  ///< It has instructions of only that architecture: sm_90a.
  std::vector<Parameter> parameters;   ///< In the file's order, like all of the following.
  std::vector<Derived> derived;
  std::vector<Constraint> constraints;
  std::optional<std::array<int64_t, 3>> size;  ///< The default M, N and K.
  std::vector<Expression> block, grid;         ///< One to three extents, x first.
  bool launch_guessed = false;                 ///< Block and grid are a guess: they may be the cause of a wrong result.
  /// The arrays' sizes and values and what the kernel computes are a guess, so that what goes wrong with them is not
  /// the kernel's fault. No key of the file.
  bool proposed = false;
  Expression dynamic_shared_bytes;
  bool cooperative = false;  ///< Its blocks wait for one another, so that all are on the GPU at once.
  std::vector<Array> arrays;
  std::vector<Argument> arguments;
  std::optional<Reference> reference;  ///< Not needed for a matrix product.
  std::vector<Preset> presets;

  const Parameter* parameter(std::string_view name) const;  ///< Null if there is none.
};

/// Reads a description. Errors, all of them, carry line, column and the line's text: malformed TOML, keys that are
/// missing or unknown (the nearest is named), names used twice, expressions that do not parse or name what is not
/// there.
Result<Description> parse_description(std::string_view toml, const std::string& file_name);

}  // namespace tilescope::kernel
