#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sass/instruction.h"

namespace tilescope::sass {

/// A modifier of an opcode: which bits hold it, and what each value is called.
struct Modifier {
  Field field;
  uint8_t position, width;
  std::vector<std::string_view> texts;  ///< By value; "?" where it is not known. Numbers where there are none.
};

/// An operand of an opcode, by its letter in opcode.def.
struct OperandPlace {
  char kind;
  uint8_t position = 0, width = 0;  ///< Where the letter does not say it.
  bool negate = false, absolute = false, invert = false, halves = false;
  bool optional = false;    ///< Not printed where it is PT.
  bool with_carry = false;  ///< There with .X only.
};

/// A row of opcode.def.
struct Row {
  Opcode opcode;
  std::string_view text;
  Pipe pipe;
  Numbers numbers;
  std::vector<OperandPlace> operands;
  std::vector<Modifier> modifiers;
};

/// The row of the code in bits 0 to 11 with bit 91 as bit 12; null where it is not known.
const Row* find_row(uint32_t code);
const Row& row_of(Opcode opcode);

constexpr uint8_t kCollective = 2;  ///< Field::Mode of WARPSYNC.

/// An atomic on floating-point numbers.
bool is_float_atomic(Opcode opcode);

/// How many products DMMA adds to each element.
uint32_t inner_of_doubles(const Instruction& product);

/// A load or store of global or generic memory.
bool loads_or_stores(Opcode opcode);

}  // namespace tilescope::sass
