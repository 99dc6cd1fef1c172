#include "emulator/scalar.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "emulator/directed.h"

namespace tilescope::emulator {
namespace {

#include "emulator/lane_arithmetic.h"

using ptx::AtomicOp;
using ptx::Instruction;
using ptx::Type;

template <class T>
T atomic_integer(AtomicOp op, T old, T b, T c) {
  switch (op) {
    case AtomicOp::Add: return Add<T>::run(old, b);
    case AtomicOp::Min: return Min<T>::run(old, b);
    case AtomicOp::Max: return Max<T>::run(old, b);
    case AtomicOp::Inc: return old >= b ? T{0} : static_cast<T>(old + 1);
    case AtomicOp::Dec: return old == 0 || old > b ? b : static_cast<T>(old - 1);
    case AtomicOp::And: return old & b;
    case AtomicOp::Or: return old | b;
    case AtomicOp::Xor: return old ^ b;
    case AtomicOp::Exch: return b;
    case AtomicOp::Cas: return old == b ? c : old;
    case AtomicOp::Popc: case AtomicOp::None: break;
  }
  return old;
}

template <class T>
T atomic_half(AtomicOp op, T old, T b) {
  switch (op) {
    case AtomicOp::Add: return Half2Operands<FAdd<float>, T, false, false>::run(old, b);
    case AtomicOp::Min: return Half2Operands<FMin<float>, T, false, false>::run(old, b);
    case AtomicOp::Max: return Half2Operands<FMax<float>, T, false, false>::run(old, b);
    default: return old;
  }
}
template <class P>
P atomic_packed(AtomicOp op, P old, P b) {
  return {atomic_half(op, old.lo, b.lo), atomic_half(op, old.hi, b.hi)};
}

template <class T, class Bits>
T as(Wide value) {
  return std::bit_cast<T>(static_cast<Bits>(value));
}

Wide atomic_wide(AtomicOp op, Wide old, Wide b, Wide c) {
  if (op == AtomicOp::Exch) return b;
  return op == AtomicOp::Cas && old == b ? c : old;
}

// add.f32 flushes subnormals in global memory and keeps them in shared memory, as the PTX document says.
float atomic_float(AtomicOp op, Space space, float old, float b) {
  if (op == AtomicOp::Exch) return b;
  return canonical(space == Space::Shared ? old + b : flush(flush(old) + flush(b)));
}

}  // namespace

Wide read_memory(const std::byte* host, uint32_t size, bool sign_extend) {
  Wide value = 0;
  std::memcpy(&value, host, size);
  if (sign_extend && size < 16) {
    const uint32_t unused = 128 - 8 * size;
    value = static_cast<Wide>(static_cast<Signed128>(value << unused) >> unused);
  }
  return value;
}

Wide atomic_result(const Instruction& instruction, Space space, Wide old, Wide b, Wide c) {
  const AtomicOp op = instruction.atomic;
  const auto integer = [&]<class T>(T) { return static_cast<Wide>(static_cast<Unsigned<T>>(
      atomic_integer<T>(op, static_cast<T>(old), static_cast<T>(b), static_cast<T>(c)))); };
  switch (instruction.type) {
    case Type::B16: case Type::U16: return integer(uint16_t{});
    case Type::U32: case Type::B32: return integer(uint32_t{});
    case Type::S32: return integer(int32_t{});
    case Type::U64: case Type::B64: return integer(uint64_t{});
    case Type::S64: return integer(int64_t{});
    case Type::B128: return atomic_wide(op, old, b, c);
    case Type::F32: return std::bit_cast<uint32_t>(atomic_float(op, space, as<float, uint32_t>(old), as<float, uint32_t>(b)));
    case Type::F64: return std::bit_cast<uint64_t>(as<double, uint64_t>(old) + as<double, uint64_t>(b));
    case Type::F16: return atomic_half(op, as<Half, uint16_t>(old), as<Half, uint16_t>(b)).bits;
    case Type::BF16: return atomic_half(op, as<BHalf, uint16_t>(old), as<BHalf, uint16_t>(b)).bits;
    case Type::F16x2: return std::bit_cast<uint32_t>(atomic_packed(op, as<Half2, uint32_t>(old), as<Half2, uint32_t>(b)));
    case Type::BF16x2: return std::bit_cast<uint32_t>(atomic_packed(op, as<BHalf2, uint32_t>(old), as<BHalf2, uint32_t>(b)));
    default: return old;
  }
}

namespace {

// cvt goes through double, which holds every source but 64-bit integers and every intermediate exactly.
double to_double(Type type, uint64_t bits, bool ftz) {
  switch (type) {
    case Type::F16: return to_float(as<Half, uint16_t>(bits));
    case Type::BF16: return to_float(as<BHalf, uint16_t>(bits));
    case Type::F32: {
      const float f = as<float, uint32_t>(bits);
      return ftz ? flush(f) : f;
    }
    default: return std::bit_cast<double>(bits);
  }
}

int64_t extended(Type type, uint64_t bits) {
  switch (type) {
    case Type::U8: return static_cast<uint8_t>(bits);
    case Type::S8: return static_cast<int8_t>(bits);
    case Type::U16: return static_cast<uint16_t>(bits);
    case Type::S16: return static_cast<int16_t>(bits);
    case Type::U32: return static_cast<uint32_t>(bits);
    case Type::S32: return static_cast<int32_t>(bits);
    default: return static_cast<int64_t>(bits);
  }
}

double round_to_integer(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::Rzi: case Rounding::Rz: return std::trunc(value);
    case Rounding::Rmi: case Rounding::Rm: return std::floor(value);
    case Rounding::Rpi: case Rounding::Rp: return std::ceil(value);
    default: return std::nearbyint(value);
  }
}

// Out of range becomes the nearest end; NaN becomes 0, or only the top bit set if either type has 64 bits.
template <class T>
uint64_t saturate_to_integer(Type from, double value) {
  if (std::isnan(value)) {
    const auto top = static_cast<T>(std::make_unsigned_t<T>{1} << (8 * sizeof(T) - 1));
    return sizeof(T) == 8 || from == Type::F64 ? static_cast<uint64_t>(top) : 0;
  }
  const double low = static_cast<double>(std::numeric_limits<T>::min());
  const double high = static_cast<double>(std::numeric_limits<T>::max());
  if (value <= low) return static_cast<uint64_t>(static_cast<int64_t>(std::numeric_limits<T>::min()));
  if (value >= high) return static_cast<uint64_t>(std::numeric_limits<T>::max());
  return static_cast<uint64_t>(static_cast<T>(value));
}

uint64_t float_to_integer(Type from, Type to, double value) {
  switch (to) {
    case Type::U8: return saturate_to_integer<uint8_t>(from, value);
    case Type::S8: return saturate_to_integer<int8_t>(from, value);
    case Type::U16: return saturate_to_integer<uint16_t>(from, value);
    case Type::S16: return saturate_to_integer<int16_t>(from, value);
    case Type::U32: return saturate_to_integer<uint32_t>(from, value);
    case Type::S32: return saturate_to_integer<int32_t>(from, value);
    case Type::U64: return saturate_to_integer<uint64_t>(from, value);
    default: return saturate_to_integer<int64_t>(from, value);
  }
}

template <class T>
uint64_t clamp_integer(Signed128 value) {
  const Signed128 low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<uint64_t>(static_cast<int64_t>(static_cast<T>(std::clamp(value, low, high))));
}

uint64_t integer_to_integer(const Instruction& i, uint64_t bits) {
  const int64_t value = extended(i.source_type, bits);
  if (!i.sat) return static_cast<uint64_t>(extended(i.type, static_cast<uint64_t>(value)));
  const Signed128 wide = i.source_type == Type::U64 ? static_cast<Signed128>(static_cast<uint64_t>(value)) : value;
  switch (i.type) {
    case Type::U8: return clamp_integer<uint8_t>(wide);
    case Type::S8: return clamp_integer<int8_t>(wide);
    case Type::U16: return clamp_integer<uint16_t>(wide);
    case Type::S16: return clamp_integer<int16_t>(wide);
    case Type::U32: return clamp_integer<uint32_t>(wide);
    case Type::S32: return clamp_integer<int32_t>(wide);
    case Type::U64: return clamp_integer<uint64_t>(wide);
    default: return clamp_integer<int64_t>(wide);
  }
}

// `value`, with an exact residual's sign, to `digits` significant bits of a float-like format in any rounding.
// The candidate is rounded to nearest by from_float; its neighbour is used if the mode needs the other side.
template <class T>
uint16_t round_half(double value, Rounding rounding) {
  const auto nearest = from_float<T>(odd_float(value, 0.0));
  if (rounding == Rounding::None || rounding == Rounding::Rn || std::isnan(value)) return nearest.bits;
  const double back = to_float(nearest);
  const bool toward_zero = rounding == Rounding::Rz || (rounding == Rounding::Rm && value > 0) || (rounding == Rounding::Rp && value < 0);
  if (toward_zero && std::fabs(back) > std::fabs(value)) return static_cast<uint16_t>(nearest.bits - 1);
  if (!toward_zero && std::fabs(back) < std::fabs(value)) return static_cast<uint16_t>(nearest.bits + 1);
  return nearest.bits;
}

// tf32: 10 bits of mantissa kept in a float; rna rounds halves away from zero.
uint32_t to_tf32(float value, Rounding rounding) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (is_nan(value)) return 0x7fffffffu;
  if (std::isinf(value)) return bits;
  if (rounding == Rounding::Rz) return bits & 0xffffe000u;
  if (rounding == Rounding::Rn) return (bits + 0xfffu + (bits >> 13 & 1u)) & 0xffffe000u;
  return (bits + 0x1000u) & 0xffffe000u;
}

bool rounds_to_integer(Rounding r) {
  return r == Rounding::Rni || r == Rounding::Rzi || r == Rounding::Rmi || r == Rounding::Rpi;
}

uint64_t double_to_float_type(const Instruction& i, double value) {
  if (rounds_to_integer(i.rounding)) value = round_to_integer(value, i.rounding);
  if (i.relu && !(value > 0) && !std::isnan(value)) value = 0;
  if (i.sat) value = saturate(value);
  if (i.sat_finite && std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  switch (i.type) {
    case Type::F16: return round_half<Half>(value, i.rounding);
    case Type::BF16: return round_half<BHalf>(value, i.rounding);
    case Type::TF32: return to_tf32(static_cast<float>(value), i.rounding);
    case Type::F64: return std::bit_cast<uint64_t>(value);
    default: break;
  }
  const float f = canonical(directed::from_double<float>(value, i.rounding));
  return std::bit_cast<uint32_t>(i.ftz ? flush(f) : f);
}

uint64_t integer_to_float(const Instruction& i, uint64_t bits) {
  const int64_t value = extended(i.source_type, bits);
  const bool negative = i.source_type != Type::U64 && value < 0;
  const uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (i.type == Type::F64) return std::bit_cast<uint64_t>(directed::from_integer<double>(magnitude, negative, i.rounding));
  if (i.type == Type::F32 && !i.sat)
    return std::bit_cast<uint32_t>(directed::from_integer<float>(magnitude, negative, i.rounding));
  // The last bit of a double is set where the integer is no double, so that a later rounding is as if done once.
  const double truncated = directed::from_integer<double>(magnitude, negative, Rounding::Rz);
  const bool is_exact = static_cast<uint64_t>(std::fabs(truncated)) == magnitude;
  return double_to_float_type(i, is_exact ? truncated : std::bit_cast<double>(std::bit_cast<uint64_t>(truncated) | 1));
}

uint64_t convert_one(const Instruction& i, uint64_t source) {
  const bool from_float_type = ptx::is_float(i.source_type), to_float_type = ptx::is_float(i.type);
  if (!from_float_type) return to_float_type ? integer_to_float(i, source) : integer_to_integer(i, source);
  const double value = to_double(i.source_type, source, i.ftz);
  if (to_float_type) return double_to_float_type(i, value);
  return float_to_integer(i.source_type, i.type, round_to_integer(value, i.rounding));
}

}  // namespace

uint64_t convert(const Instruction& i, uint64_t source, uint64_t second) {
  if (i.type != Type::F16x2 && i.type != Type::BF16x2) return convert_one(i, source);
  Instruction half = i;  // cvt.rn.f16x2.f32 d, a, b: a goes to the upper half.
  half.type = i.type == Type::F16x2 ? Type::F16 : Type::BF16;
  return convert_one(half, source) << 16 | convert_one(half, second);
}

}  // namespace tilescope::emulator
