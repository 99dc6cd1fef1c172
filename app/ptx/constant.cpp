#include "ptx/constant.h"

#include <array>
#include <bit>
#include <limits>

#include <fmt/format.h>

namespace tilescope::ptx {
namespace {

constexpr int kMaxExpressionDepth = 64;
constexpr int kWarpSize = 32;

struct BinaryOperator {
  std::string_view mark;
  int precedence;
};
constexpr std::array<BinaryOperator, 18> kBinaryOperators{{{"||", 1},
                                                           {"&&", 2},
                                                           {"|", 3},
                                                           {"^", 4},
                                                           {"&", 5},
                                                           {"==", 6},
                                                           {"!=", 6},
                                                           {"<", 7},
                                                           {"<=", 7},
                                                           {">", 7},
                                                           {">=", 7},
                                                           {"<<", 8},
                                                           {">>", 8},
                                                           {"+", 9},
                                                           {"-", 9},
                                                           {"*", 10},
                                                           {"/", 10},
                                                           {"%", 10}}};

const BinaryOperator* binary_operator(const Token& token) {
  for (const BinaryOperator& entry : kBinaryOperators)
    if (token.is(entry.mark)) return &entry;
  return nullptr;
}

Constant integer(uint64_t value, bool is_unsigned) { return {Constant::Kind::Integer, is_unsigned, value}; }
Constant number(double value) { return {Constant::Kind::Double, false, std::bit_cast<uint64_t>(value)}; }

double as_double(const Constant& value) {
  switch (value.kind) {
    case Constant::Kind::Single: return std::bit_cast<float>(static_cast<uint32_t>(value.bits));
    case Constant::Kind::Double: return std::bit_cast<double>(value.bits);
    case Constant::Kind::Integer: break;
  }
  return value.is_unsigned ? static_cast<double>(value.bits) : static_cast<double>(static_cast<int64_t>(value.bits));
}

bool divide(const Constant& a, const Constant& b, bool remainder, bool is_unsigned, uint64_t& result) {
  if (b.bits == 0) return false;
  const auto x = static_cast<int64_t>(a.bits), y = static_cast<int64_t>(b.bits);
  if (is_unsigned)
    result = remainder ? a.bits % b.bits : a.bits / b.bits;
  else if (y == -1)
    result = remainder ? 0 : 0 - a.bits;  // The most negative number over -1 wraps.
  else
    result = static_cast<uint64_t>(remainder ? x % y : x / y);
  return true;
}

uint64_t shift(const Constant& a, uint64_t amount, bool left) {
  amount = std::min<uint64_t>(amount, 64);
  if (left) return amount == 64 ? 0 : a.bits << amount;
  if (a.is_unsigned) return amount == 64 ? 0 : a.bits >> amount;
  return static_cast<uint64_t>(static_cast<int64_t>(a.bits) >> std::min<uint64_t>(amount, 63));
}

bool less(const Constant& a, const Constant& b, bool is_unsigned) {
  return is_unsigned ? a.bits < b.bits : static_cast<int64_t>(a.bits) < static_cast<int64_t>(b.bits);
}

bool combine_integers(std::string_view mark, const Constant& a, const Constant& b, Constant& result) {
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  const auto truth = [&](bool value) {
    result = integer(value, false);
    return true;
  };
  const auto value = [&](uint64_t bits) {
    result = integer(bits, is_unsigned);
    return true;
  };
  switch (punctuation(mark)) {
    case punctuation("||"): return truth(a.bits || b.bits);
    case punctuation("&&"): return truth(a.bits && b.bits);
    case punctuation("=="): return truth(a.bits == b.bits);
    case punctuation("!="): return truth(a.bits != b.bits);
    case punctuation("<"): return truth(less(a, b, is_unsigned));
    case punctuation(">"): return truth(less(b, a, is_unsigned));
    case punctuation("<="): return truth(!less(b, a, is_unsigned));
    case punctuation(">="): return truth(!less(a, b, is_unsigned));
    case punctuation("|"): return value(a.bits | b.bits);
    case punctuation("^"): return value(a.bits ^ b.bits);
    case punctuation("&"): return value(a.bits & b.bits);
    case punctuation("+"): return value(a.bits + b.bits);
    case punctuation("-"): return value(a.bits - b.bits);
    case punctuation("*"): return value(a.bits * b.bits);
    case punctuation("<<"): result = integer(shift(a, b.bits, true), a.is_unsigned); return true;
    case punctuation(">>"): result = integer(shift(a, b.bits, false), a.is_unsigned); return true;
    default: break;
  }
  result.kind = Constant::Kind::Integer;
  result.is_unsigned = is_unsigned;
  return divide(a, b, mark == "%", is_unsigned, result.bits);
}

bool combine_floats(std::string_view mark, double a, double b, Constant& result) {
  switch (punctuation(mark)) {
    case punctuation("+"): result = number(a + b); return true;
    case punctuation("-"): result = number(a - b); return true;
    case punctuation("*"): result = number(a * b); return true;
    case punctuation("/"):
      if (b == 0) return false;
      result = number(a / b);
      return true;
    default: return false;
  }
}

// Not base/expression.h: constants of PTX are typed (64-bit integers that wrap around, signed or not, and floats) and stand
// among the tokens of an instruction.
class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  bool conditional(Constant& value) {
    if (!enter() || !binary(1, value)) return false;
    if (tokens_.accept("?")) {
      Constant yes, no;
      if (!conditional(yes) || !tokens_.expect(":", "in a conditional expression") || !conditional(no)) return false;
      value = value.bits ? yes : no;
    }
    --depth_;
    return true;
  }

 private:
  bool enter() {
    return ++depth_ <= kMaxExpressionDepth || tokens_.error(tokens_.peek(), "this expression is nested too deeply; simplify it");
  }

  bool binary(int lowest, Constant& value) {
    if (!unary(value)) return false;
    for (const BinaryOperator* op; (op = binary_operator(tokens_.peek())) && op->precedence >= lowest;) {
      const Token at = tokens_.take();
      Constant right;
      if (!binary(op->precedence + 1, right)) return false;
      const Constant left = value;
      const bool integers = left.kind == Constant::Kind::Integer && right.kind == Constant::Kind::Integer;
      const bool done = integers ? combine_integers(op->mark, left, right, value)
                                 : combine_floats(op->mark, as_double(left), as_double(right), value);
      if (!done) return tokens_.error(at, fmt::format("'{}' has no value here", op->mark));
    }
    return true;
  }

  bool unary(Constant& value) {
    const Token at = tokens_.peek();
    const bool prefix = at.is("-") || at.is("+") || at.is("~") || at.is("!");
    if (!prefix) return primary(value);
    tokens_.take();
    if (!enter() || !unary(value)) return false;
    --depth_;
    return apply_unary(at, value);
  }

  bool apply_unary(const Token& at, Constant& value) {
    const bool is_integer = value.kind == Constant::Kind::Integer;
    if (!is_integer && (at.is("~") || at.is("!"))) return tokens_.error(at, "this operator takes an integer");
    if (at.is("~")) value.bits = ~value.bits;
    if (at.is("!")) value = integer(!value.bits, false);
    if (at.is("-")) value = is_integer ? integer(0 - value.bits, value.is_unsigned) : number(-as_double(value));
    return true;
  }

  bool primary(Constant& value) {
    const Token at = tokens_.peek();
    if (at.is("(")) return parenthesis(value);
    if (at.kind == TokenKind::Integer) {
      const bool wide = at.bits > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
      value = integer(at.bits, wide || at.text.ends_with('U'));
    } else if (at.kind == TokenKind::Single) {
      value = {Constant::Kind::Single, false, at.bits};
    } else if (at.kind == TokenKind::Double) {
      value = {Constant::Kind::Double, false, at.bits};
    } else if (at.is_word("WARP_SZ")) {
      value = integer(kWarpSize, false);
    } else {
      return tokens_.error_expected("a constant");
    }
    tokens_.take();
    return true;
  }

  bool parenthesis(Constant& value) {
    tokens_.take();
    const bool to_signed = tokens_.accept_directive(".s64"),
               to_unsigned = !to_signed && tokens_.accept_directive(".u64");
    if (!to_signed && !to_unsigned) return conditional(value) && tokens_.expect(")", "after the expression");
    if (!tokens_.expect(")", "after the type") || !enter() || !unary(value)) return false;
    --depth_;
    if (value.kind != Constant::Kind::Integer) return tokens_.error(tokens_.peek(), "only an integer can be cast here");
    value.is_unsigned = to_unsigned;
    return true;
  }

  TokenStream& tokens_;
  int depth_ = 0;
};

uint64_t sign_extend(uint64_t bits, uint32_t bytes) {
  const unsigned unused = 64 - 8 * bytes;
  return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
}

uint64_t float_bits(const Constant& value, uint32_t bytes) {
  if (bytes == 8) return value.kind == Constant::Kind::Double ? value.bits : std::bit_cast<uint64_t>(as_double(value));
  if (value.kind == Constant::Kind::Single) return value.bits;
  return std::bit_cast<uint32_t>(static_cast<float>(as_double(value)));
}

}  // namespace

bool starts_constant(const Token& token) {
  return token.kind == TokenKind::Integer || token.kind == TokenKind::Single || token.kind == TokenKind::Double ||
         token.is("-") || token.is("+") || token.is("~") || token.is("!") || token.is("(") || token.is_word("WARP_SZ");
}

bool parse_constant(TokenStream& tokens, Constant& value) { return ExpressionParser(tokens).conditional(value); }

bool convert_constant(const Constant& value, Type type, uint64_t& bits, std::string& problem) {
  const bool is_integer = value.kind == Constant::Kind::Integer;
  const uint32_t bytes = size_of(type);
  const bool is_bits = type == Type::B32 || type == Type::B64;
  if (type == Type::None) {
    if (is_integer)
      bits = value.bits;
    else
      problem = "this place takes no floating-point constant; move it into a register first";
  } else if (type == Type::F32 || type == Type::F64) {
    if (is_integer)
      problem =
          fmt::format("a .{} operand takes a floating-point constant, such as 1.0 or 0f3F800000", to_string(type));
    else
      bits = float_bits(value, bytes);
  } else if (is_float(type)) {
    problem = fmt::format("a .{} operand takes no constant; move its bits into a register first", to_string(type));
  } else if (!is_integer && !is_bits) {
    problem = fmt::format("a .{} operand takes an integer", to_string(type));
  } else if (type == Type::Pred) {
    bits = value.bits != 0;
  } else if (!is_integer) {
    bits = sign_extend(float_bits(value, bytes), bytes);
  } else {
    bits = bytes > 8 ? value.bits : sign_extend(value.bits, bytes);
  }
  return problem.empty();
}

}  // namespace tilescope::ptx
