#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "kernel/description.h"

namespace tilescope::kernel {

/// C is M x N, A is M x K, B is K x N.
struct Size {
  int64_t m = 0, n = 0, k = 0;
  bool operator==(const Size&) const = default;
};
constexpr int64_t kLargestSize = 2147483647;  ///< Of M, N and K, which kernels take as int.
/// The description's size, else 256 each.
Size default_size(const Description& description);
/// Reads "256" or "M=256,N=128,K=64", in any order; configure() checks the values. With `others` the extents that are
/// not named are theirs.
Result<Size> parse_size(std::string_view text, const std::optional<Size>& others = {});

/// Those of M, N and K that the description's rules, launch, arrays or arguments name: "MNK" for a matrix product,
/// "N" for a sum; empty for a launch of fixed extents.
std::string used_extents(const Description& description);
/// The size has one extent, and no array has it twice, as rows and as columns.
bool is_of_vectors(const Description& description);
/// "M=256 N=128": the extents of these names.
std::string size_text(std::string_view extents, const Size& size);
/// The same in as few characters as say it: "4096³" if three are equal, "256 × 128".
std::string short_size_text(std::string_view extents, const Size& size);

/// Parameter names with their values as the user wrote them; those not named keep their defaults.
using Settings = std::map<std::string, std::string>;
/// Reads "BM=64" into `settings`; a later one replaces an earlier one.
Result<std::monostate> add_setting(std::string_view text, Settings& settings);
/// The settings of a preset of that name; the error lists the presets.
Result<Settings> preset_settings(const Description& description, std::string_view name);

/// What the device allows. The defaults are what some device of compute capability 7.5 to 9.0 allows.
struct Limits {
  uint32_t capability = UINT32_MAX;  ///< 80 for compute capability 8.0; the default has all instructions.
  uint32_t threads_per_block = 1024;
  Dim3 block{1024, 1024, 64};
  Dim3 grid{2147483647, 65535, 65535};
  uint64_t static_shared_bytes = 49152;  ///< __shared__ arrays: 48 KiB on every device.
  /// Static and dynamic together, as far as the device lets a kernel opt in: 227 KiB on 9.0.
  uint64_t shared_bytes_per_block = 232448;
};

/// An array with its extents.
struct ArrayShape {
  std::string name;
  Space space = Space::Global;
  Element element = Element::F32;
  Role role = Role::Input;
  std::vector<uint64_t> shape;                       ///< Allocated extents, row-major.
  std::vector<uint64_t> logical;                     ///< The part that holds data; the rest is zeros.
  uint64_t bytes = 0;                                ///< Of the allocated extents.
  std::optional<double> initial = {};                ///< The initial value of its elements, instead of the role's.
  std::shared_ptr<const ArrayContent> content = {};  ///< Its initial bytes.
  std::string within = {};                           ///< This and the following: see Array.
  uint64_t at = 0, pitch = 0;                        ///< In bytes.
  std::vector<size_t> beside = {};
  std::string guess = {};  ///< The extents as they were guessed, "N + 4"; empty: somebody said them.
};

/// A tensor map to pass, of an array; its address is set once the array has one.
struct TensorMapValue {
  int array = -1;  ///< Index into Configuration::arrays.
  TensorMap map;
};

/// The value of one argument of the kernel.
struct ArgumentValue {
  std::string name;
  Element element = Element::I32;
  int array = -1;                             ///< Index into Configuration::arrays: pass its address. -1 for a scalar.
  int64_t integer = 0;                        ///< Of an integer scalar.
  double real = 0;                            ///< Of a floating-point scalar.
  std::optional<TensorMapValue> tensor = {};  ///< Of a tensor map.
};

/// A kernel with all values determined: it can be compiled and launched.
struct Configuration {
  Size size;
  std::vector<std::pair<std::string, int64_t>> parameters;  ///< Every one, in the description's order.
  std::vector<std::pair<std::string, int64_t>> derived;
  std::vector<std::string> macros;   ///< "BM=64": what follows -D.
  std::vector<std::string> options;  ///< "--use_fast_math": of parameters that are switches.
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;          ///< See Description.
  uint64_t static_shared_bytes = 0;  ///< Of the __shared__ arrays that the description names.
  std::vector<ArrayShape> arrays;
  std::vector<ArgumentValue> arguments;
  uint64_t global_bytes = 0;   ///< The total size of the argument arrays; compare it with the available memory.
  double alpha = 1, beta = 0;  ///< C = alpha * A * B + beta * C: the arguments of these names, if any.
};

/// The compiler's target for a device of `arch`: "sm_90a" for "sm_90" if its instructions are those of that
/// one architecture.
std::string compiled_arch(const Description& description, const std::string& arch);
/// Whether a device of this compute capability has the kernel's instructions.
bool has_instructions(const Description& description, uint32_t capability);

/// Determines every value. Errors name each broken constraint with its numbers; the fixes of the last one are the
/// nearest legal values: "BM*BN/(TM*TN) = 2048 threads; the limit is 1024. Nearest legal: TM = 8." If the device lacks
/// the kernel's instructions, this is the only error.
Result<Configuration> configure(const Description& description, const Settings& settings, const Size& size,
                                const Limits& limits = {});

/// The legal values of one parameter while everything else is as given; ascending. Empty if there is none, or if
/// `settings` has an unknown parameter or a value that is not a number.
std::vector<int64_t> legal_values(const Description& description, const Settings& settings, const Size& size,
                                  const Limits& limits, std::string_view parameter);

}  // namespace tilescope::kernel
