#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "ptx/module.h"
#include "reference.h"

/// Tests of single instructions as data: a kernel in PTX, the contents of its arrays, and its expected output. The same
/// cases run on the emulator and, from the files that dump_vectors writes, on a GPU.
namespace tilescope::vectors {

using ptx::Type;

/// The source of an input's elements.
struct Domain {
  enum class Kind : uint8_t {
    All,       ///< Edge values of the type, random bits, and numbers of ordinary size.
    Range,     ///< Numbers of [low, high], and the special values listed in `values`.
    Listed,    ///< Only `values`.
    Distinct,  ///< As All, with 0 left out.
  };
  Kind kind = Kind::All;
  double low = 0, high = 0;
  std::vector<uint64_t> values;
};
Domain range(double low, double high, std::vector<uint64_t> special = {});
Domain listed(std::vector<uint64_t> values);
Domain nonzero();
/// Shift counts, positions and lengths: each of 0 to 66 and what lies around 255 and the ends of the type.
Domain counts();

struct Input {
  Type type;
  Domain domain = {};
  uint32_t count = 0;  ///< Elements; 0 for one per thread.
};

/// How close the result must be to the expected value.
struct Tolerance {
  enum class Kind : uint8_t {
    Bits,       ///< Bit for bit.
    BitsOrNan,  ///< Bit for bit, but any NaN for a NaN: the document leaves its payload open.
    Ulps,       ///< Within `amount` units of the last place; zeros, infinities and NaNs as expected.
    Absolute,   ///< Within `amount`, and half a unit of the last place for the rounding of the expected value.
    Relative,   ///< Within `amount` times the expected value, and half a unit of the last place.
    Nothing,    ///< The document does not define the value; the kernel only has to end.
  };
  Kind kind = Kind::Bits;
  double amount = 0;
};

/// The values of a case's arrays, one element each, zero-extended.
struct Vectors {
  std::vector<std::vector<uint64_t>> inputs;
  std::vector<uint64_t> guard;  ///< One a thread: 0 or 1.
};

/// One kernel, `.entry NAME(.param .u64 in0, in1, in2, in3, guard, out)`, its arrays, and what it writes.
struct Case {
  std::string module;       ///< The cases of one name share a PTX module: "add", "cvt", ...
  std::string entry;        ///< "add_rz_ftz_f32"
  std::string instruction;  ///< "add.rz.ftz.f32": what a failure shows.
  std::string text;         ///< The entry in PTX.
  Dim3 grid, block{256, 1, 1};
  std::vector<Input> inputs;  ///< At most 4.
  Type output = Type::B32;
  uint32_t outputs = 0;  ///< Elements; 0 for one per thread.
  Tolerance tolerance;
  /// The output's elements. It starts as kUntouched in each; `out` has its size.
  std::function<void(const Case&, const Vectors&, std::vector<uint64_t>& out)> expect;

  uint64_t threads() const { return grid.count() * block.count(); }
  uint64_t input_count(size_t i) const { return inputs[i].count != 0 ? inputs[i].count : threads(); }
  uint64_t output_count() const { return outputs != 0 ? outputs : threads(); }
};
constexpr uint64_t kUntouched = 0xA5A5A5A5A5A5A5A5;
/// kUntouched in the width of a type.
uint64_t untouched(Type type);

/// Every case there is, made once.
const std::vector<Case>& all_cases();
/// The modules' names, in the order of the cases.
std::vector<std::string> all_modules();
/// The PTX of a module: the header, then its cases' entries.
std::string module_text(std::string_view module);

/// The inputs of a case. The same in every run: the generator is seeded with the entry's name.
Vectors generate(const Case& test);
/// The expected output of the case.
std::vector<uint64_t> expected(const Case& test, const Vectors& vectors);
/// Whether one element of the output is within the tolerance; packed types are compared half by half.
bool matches(const Case& test, uint64_t expected, uint64_t actual);

/// Bits of a type; 16 for Pred.
int width(Type type);
/// The format of a floating-point type, of one half for the packed types.
reference::Format format_of(Type type);
bool is_packed(Type type);
reference::Integer integer_of(Type type);
/// ".b32" and the like: how registers of the type are declared, and how it is loaded and stored.
std::string register_type(Type type);
/// "b32"; without the dot.
std::string name_of(Type type);
/// The text with "_" for every character not allowed in a PTX identifier.
std::string entry_name(std::string text);

}  // namespace tilescope::vectors
