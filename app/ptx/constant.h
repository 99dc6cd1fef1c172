#pragma once

#include <cstdint>

#include "ptx/module.h"
#include "ptx/token_stream.h"

namespace tilescope::ptx {

/// The value of a constant expression. Integers are 64 bits wide and wrap around.
struct Constant {
  enum class Kind : uint8_t { Integer, Single, Double };
  Kind kind = Kind::Integer;
  bool is_unsigned = false;  ///< Of an integer: the type of the result, by the rules of C.
  uint64_t bits = 0;         ///< The integer, the float's or the double's bits.
};

/// Whether an expression can start with this token.
bool starts_constant(const Token& token);
/// Reads an expression with the operators and precedences of C.
bool parse_constant(TokenStream& tokens, Constant& value);
/// The constant as bits of `type`: an integer cut to its width and sign-extended, a float's bits.
/// False, with the reason in `problem`, if the type has no such constant.
bool convert_constant(const Constant& value, Type type, uint64_t& bits, std::string& problem);

}  // namespace tilescope::ptx
