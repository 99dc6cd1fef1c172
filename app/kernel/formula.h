#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

/// What a kernel computes, as a formula over its arrays: `out[y][x] = in[x][y]`, `sum[0] = sum(i, N, values[i])`.
/// kernels/README.md documents it.
namespace tilescope::kernel {

/// What a node of a formula is; its children stand in FormulaNode::of.
enum class FormulaOp : uint8_t {
  Number,    ///< `number`
  Name,      ///< names[index]
  Variable,  ///< An index of the left side or of a sum, by its number.
  Element,   ///< Of the array called `name`; one child an extent.
  Negate,
  Not,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Less,
  LessEqual,
  Equal,
  Unequal,
  And,
  Or,
  Choose,  ///< a ? b : c; only the side that it takes is computed.
  Abs,
  Sqrt,
  Exp,
  Log,
  Sin,
  Cos,
  Tanh,
  Floor,
  Pow,
  Min,
  Max,
  Sum,
  Largest,
  Smallest,  ///< Over a variable: from, to (not included), what.
};

struct FormulaNode {
  FormulaOp op{};
  double number = 0;
  std::string name;          ///< Of a name or an array.
  uint32_t index = 0;        ///< Of a variable, or of a sum's own.
  bool is_whole = false;     ///< An integer, whose division truncates as in C.
  std::vector<uint32_t> of;  ///< Children, by their place in Formula::nodes.
};

/// One equation. An index of the left side that is a name of its own runs over the array's whole extent.
struct Formula {
  std::string text;
  std::string array;            ///< Of the left side.
  std::vector<int> variables;   ///< For each extent the variable that runs over it; -1: `at` says where.
  std::vector<uint32_t> at;     ///< For each extent its node, where no variable runs over it.
  uint32_t variable_count = 0;  ///< Of the left side and of all sums.
  std::vector<FormulaNode> nodes;
  uint32_t root = 0;
};

/// What a formula may name.
struct FormulaScope {
  struct Array {
    std::string name;
    size_t extents = 0;
    bool is_whole = false;    ///< Of integers.
    bool has_values = false;  ///< It holds something before the kernel runs.
    bool is_written = false;
  };
  std::vector<Array> arrays;
  std::vector<std::pair<std::string, bool>> names;  ///< Sizes, parameters and scalars; whether each is an integer.
};

/// Errors are sentences without a place.
Result<Formula> parse_formula(std::string_view text, const FormulaScope& scope);

}  // namespace tilescope::kernel
