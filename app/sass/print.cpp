#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "sass/decode.h"
#include "sass/opcode_table.h"

namespace tilescope::sass {
namespace {

constexpr uint32_t kPrintsDescriptor = 101;  // The bit before sm_90.
constexpr uint8_t kReducingBarrier = 2, kInvalidateAll = 4;

std::string register_name(uint8_t index) { return index == kZeroRegister ? "RZ" : fmt::format("R{}", index); }
std::string uniform_name(uint8_t index) { return index == kZeroUniform ? "URZ" : fmt::format("UR{}", index); }
std::string predicate_name(uint8_t index, bool uniform) {
  return fmt::format("{}P{}", uniform ? "U" : "",
                     index == kTrue ? "T" : std::string(1, static_cast<char>('0' + index)));
}
std::string predicate_text(const PredicateUse& use, bool uniform) {
  return (use.negate ? "!" : "") + predicate_name(use.index, uniform);
}
std::string hex(int64_t value) { return value < 0 ? fmt::format("-{:#x}", -value) : fmt::format("{:#x}", value); }

/// A floating-point immediate with 20 digits.
std::string number_text(double value) {
  if (std::isinf(value)) return value < 0 ? "-INF " : "+INF ";
  if (std::isnan(value)) return std::signbit(value) ? "-QNAN " : "+QNAN ";
  return value == 0 && std::signbit(value) ? "-0.0" : fmt::format("{:.20g}", value);
}

double half_value(uint32_t bits) {
  const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                           : exponent     ? std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25)
                                          : std::ldexp(fraction, -24);
  return bits >> 15 & 1 ? -magnitude : magnitude;
}

std::string immediate_text(const Instruction& in, uint32_t bits) {
  switch (in.numbers) {
    case Numbers::Floats: return number_text(std::bit_cast<float>(bits));
    case Numbers::Doubles: return number_text(std::bit_cast<double>(uint64_t{bits} << 32));
    case Numbers::Halves:
      if (in[in.opcode == Opcode::HSET2 || in.opcode == Opcode::HSETP2 ? Field::Type : Field::Mode])
        return number_text(std::bit_cast<float>(bits & 0xffff0000)) + ", " +
               number_text(std::bit_cast<float>(bits << 16));
      return number_text(half_value(bits >> 16)) + ", " + number_text(half_value(bits & 0xffff));
    case Numbers::Bits: return fmt::format("{:#x}", bits);
    case Numbers::Integers: break;
  }
  return hex(static_cast<int32_t>(bits));
}

std::string operand_text(const Instruction& in, const Operand& operand, bool invert) {
  std::string text;
  switch (operand.kind) {
    case Operand::Kind::Register: text = register_name(operand.index); break;
    case Operand::Kind::Uniform: text = uniform_name(operand.index); break;
    case Operand::Kind::Immediate: return immediate_text(in, operand.bits);
    case Operand::Kind::Constant: {
      std::string place;
      if (!operand.bindless && operand.index != kZeroRegister)
        place = operand.indexed_by_uniform ? uniform_name(operand.index) : register_name(operand.index);
      if (place.empty() || operand.offset != 0) {
        if (!place.empty()) place += "+";
        place += hex(operand.offset);
      }
      text = operand.bindless ? fmt::format("cx[{}][{}]", uniform_name(operand.index), place)
                              : fmt::format("c[{:#x}][{}]", operand.bank, place);
      break;
    }
    case Operand::Kind::None: break;
  }
  if (operand.absolute) text = "|" + text + "|";
  if (operand.negate) text = (invert ? "~" : "-") + text;
  if (operand.reuse) text += ".reuse";
  constexpr std::string_view kHalves[] = {"", ".F32", ".H0_H0", ".H1_H1"};
  text += kHalves[operand.half];
  return text;
}

std::string address_text(const Instruction& in, const Address& address) {
  std::string inside, outside;
  if (address.base != kZeroRegister || (!address.has_uniform && address.offset == 0)) {
    inside = register_name(address.base);
    if (address.wide && address.base != kZeroRegister && address.descriptor) inside += ".64";
    constexpr std::string_view kStrides[] = {"", ".X4", ".X8", ".X16"};
    inside += kStrides[in[Field::Stride] & 3];
  }
  if (address.descriptor) {
    if (in.architecture >= 90 || in.bits(kPrintsDescriptor, 1))
      outside = fmt::format("desc[{}]", uniform_name(address.uniform));
  } else if (address.has_uniform) {
    if (!inside.empty()) inside += "+";
    inside += uniform_name(address.uniform);
  }
  if (address.offset != 0 || inside.empty()) {
    if (!inside.empty()) inside += "+";
    inside += hex(address.offset);
  }
  return outside + "[" + inside + "]";
}

std::string special_register(uint32_t index) {
  switch (index) {
    case 0: return "SR_LANEID";
    case 3: return "SR_VIRTID";
    case 33: return "SR_TID.X";
    case 34: return "SR_TID.Y";
    case 35: return "SR_TID.Z";
    case 37: return "SR_CTAID.X";
    case 38: return "SR_CTAID.Y";
    case 39: return "SR_CTAID.Z";
    case 46: return "SR_LWINHI";
    case 47: return "SR_SWINHI";
    case 56: return "SR_EQMASK";
    case 57: return "SR_LTMASK";
    case 58: return "SR_LEMASK";
    case 59: return "SR_GTMASK";
    case 60: return "SR_GEMASK";
    case 67: return "SR_VIRTUALSMID";
    case 80: return "SR_CLOCKLO";
    case 81: return "SR_CLOCKHI";
    case 82: return "SR_GLOBALTIMERLO";
    case 83: return "SR_GLOBALTIMERHI";
    case 136: return "SR_CgaCtaId";
    case 255: return "SRZ";
    default: return fmt::format("SR{}", index);
  }
}

bool is_zero(const Operand& operand) {
  return (operand.is_register() && operand.index == kZeroRegister) ||
         (operand.is_uniform() && operand.index == kZeroUniform);
}

/// IMAD that moves, adds or shifts is called so.
std::string_view imad_alias(const Instruction& in) {
  if (in.opcode != Opcode::IMAD || in[Field::Extended]) return "";
  if (in.c.kind != Operand::Kind::Uniform && is_zero(in.a) && is_zero(in.b)) return ".MOV";
  if (in.b.kind != Operand::Kind::Immediate) return "";
  if (in.b.bits == 1) return is_zero(in.c) ? ".MOV" : ".IADD";
  return std::has_single_bit(in.b.bits) && is_zero(in.c) ? ".SHL" : "";
}

/// WARPSYNC without a mask.
bool waits_for_all(const Instruction& in) { return in.b.kind == Operand::Kind::Immediate && in.b.bits == 0; }

/// Whether an instruction prints an operand of its opcode.
bool has_operand(const Instruction& in, const OperandPlace& place) {
  if (place.kind == '_' || (place.with_carry && !in[Field::Extended])) return false;
  switch (in.opcode) {
    case Opcode::BAR: return place.kind != 'q' || in[Field::Mode] == kReducingBarrier;
    case Opcode::LEA:
    case Opcode::ULEA: return place.kind != 'c' || (in[Field::High] && !in[Field::ExtendSign]);
    // What is voted goes to a register, to a predicate or to both.
    case Opcode::VOTE:
    case Opcode::VOTEU: return (place.kind != 'd' && place.kind != 'D') || !is_zero(in.d) || in.p0.index == kTrue;
    case Opcode::CCTL: return in[Field::Operation] != kInvalidateAll;
    case Opcode::UTMALDG:
    case Opcode::UTMASTG:
      return (place.kind != 'z' || in[Field::Multicast]) && (place.kind != 'O' || in.b.is_uniform());
    case Opcode::WARPSYNC: return !waits_for_all(in) || in[Field::Mode] == kCollective;
    case Opcode::WARPGROUP: return in[Field::Operation] != 0;
    default: return true;
  }
}
bool has_modifier(const Instruction& in, const Modifier& modifier) {
  if (modifier.texts.empty()) return false;
  if (in.opcode == Opcode::F2FP && modifier.field == Field::SourceType) return in.architecture >= 89;
  return in.opcode != Opcode::BAR || modifier.field != Field::Operation || in[Field::Mode] == kReducingBarrier;
}

std::string size_name(uint32_t size) { return std::to_string(8u << size); }
/// ".U32", ".S64", ""; a signed number of 32 bits has no name.
std::string integer_name(bool is_signed, uint32_t size) {
  return is_signed && size == 2 ? "" : (is_signed ? ".S" : ".U") + size_name(size);
}
/// The modifiers of conversions between integers and floating-point numbers.
std::string conversion_text(const Instruction& in) {
  constexpr std::string_view kFloats[] = {"", ".F16", "", ".F64", ".BF16"};
  if (in.opcode == Opcode::F2I) {
    constexpr std::string_view kRounds[] = {"", ".FLOOR", ".CEIL", ".TRUNC"};
    return fmt::format("{}{}{}{}{}", in[Field::Flush] ? ".FTZ" : "", integer_name(in[Field::Signed], in[Field::Size]),
                       kFloats[in[Field::SourceType]], kRounds[in[Field::Round]], in[Field::IgnoreNtz] ? ".NTZ" : "");
  }
  constexpr std::string_view kRounds[] = {"", ".RM", ".RP", ".RZ"};
  return fmt::format("{}{}{}", kFloats[in[Field::Type]], integer_name(in[Field::Signed], in[Field::SourceType]),
                     kRounds[in[Field::Round]]);
}

/// Which byte or half of a register is converted; the lowest has no name.
std::string part_text(const Instruction& in) {
  if (in.immediate0 == 0) return "";
  const bool is_byte = in.opcode == Opcode::I2F && in[Field::SourceType] == 0;
  return fmt::format(".{}{}", is_byte ? 'B' : 'H', in.immediate0);
}

std::string operand_text(const Instruction& in, const OperandPlace& place) {
  const bool uniform = in.uniform;
  const auto optional = [&](const PredicateUse& use, bool is_uniform) {
    return place.optional && use.index == kTrue && !use.negate ? std::string() : predicate_text(use, is_uniform);
  };
  const bool invert = place.invert && in[Field::Extended];
  switch (place.kind) {
    case 'd':
    case 'D': return operand_text(in, in.d, false);
    case 'a':
    case 'A':
    case 'x': return operand_text(in, in.a, invert) + (in.opcode == Opcode::IMMA ? ".ROW" : "");
    case 'B':
      if (in.opcode == Opcode::IMMA) return operand_text(in, in.b, false) + ".COL";
      [[fallthrough]];
    case 'b':
    case 's':
    case 'v':
    case 'y':
    case 'u':
    case 'k': return operand_text(in, in.b, invert);
    case 'U': return operand_text(in, in.b, false) + part_text(in);
    case 'c':
    case 'C':
    case 'z':
    case 'w': return operand_text(in, in.c, invert);
    case 'p': return optional(in.p0, uniform || in.opcode == Opcode::VOTEU);
    case 'P': return optional(in.p1, uniform);
    case 'q': return optional(in.q0, uniform);
    case 'r': return predicate_text(in.q1, uniform);
    case 't': return predicate_text(in.q2, uniform || in.q2_uniform);
    case 'l':
    case 'n':
    case 'g':
    case 'h':
    case 'o':
    case 'e':
    case 'm':
    case 'M': return address_text(in, in.address);
    case 'f':
    case 'N': return address_text(in, in.from);
    case 'O': return fmt::format("desc[{}]", uniform_name(in.b.index));
    case '*': return "PR";
    case 'i':
      if (in.opcode == Opcode::LEPC) return fmt::format("{:#x}", in.offset + kInstructionBytes + in.immediate0);
      if (in.opcode == Opcode::BMOV_R || in.opcode == Opcode::BMOV_B) return fmt::format("B{}", in.immediate0);
      [[fallthrough]];
    case 'L': return fmt::format("{:#x}", in.immediate0);
    case 'j': return fmt::format("{:#x}", in.immediate1);
    case 'S': return special_register(in.immediate0);
    case 'T':
      if (in.opcode == Opcode::BRXU) return hex(int64_t{in.target} - in.offset - kInstructionBytes);
      return hex(static_cast<int32_t>(in.target));
    case 'V': return fmt::format("B{}", in.immediate0);
    case 'Y': {
      std::string text = waits_for_all(in) ? "" : operand_text(in, in.b, false);
      if (in[Field::Mode] == kCollective) text += fmt::format("{}{:#x}", text.empty() ? "" : ", ", in.target);
      return text;
    }
    case 'W': return fmt::format("gsb0, {:#x}", in.immediate1);
    case 'X': {
      std::string text = fmt::format("SB{}, {:#x}", in.immediate0, in.immediate1);
      for (int i = 5; i >= 0; --i)
        if (in.b.bits >> i & 1)
          text += fmt::format("{}{}", text.back() == '}' ? "" : in.b.bits >> (i + 1) ? "," : ", {", i);
      return in.b.bits ? text + "}" : text;
    }
    case '&': {
      std::string text = operand_text(in, in.b, false);
      const bool counted = in.c.is_register() || in.c.bits != 0;
      if (counted) text += ", " + operand_text(in, in.c, false);
      return text;
    }
    default: return "";
  }
}

}  // namespace

namespace {

/// HGMMA: its shape, its descriptors and what it does with the sum.
std::string group_product_text(const Instruction& in) {
  const bool from_register = in.opcode == Opcode::HGMMA_R;
  constexpr std::string_view kSources[] = {"", ".BF16", ".TF32", ""};
  const uint32_t shape = in[Field::Shape], k = shape < 32 ? 16 : 8;
  std::string text = fmt::format("HGMMA.64x{}x{}.{}{} {}, ", 8 * (shape % 32 + 1), k, in[Field::Type] ? "F32" : "F16",
                                 kSources[in[Field::SourceType]], operand_text(in, in.d, false));
  if (from_register) text += operand_text(in, in.a, false) + ", ";
  text += fmt::format("gdesc[{}]", uniform_name(from_register ? in.b.index : in.a.index));
  if (in[Field::NegateA]) text += ".negA";
  if (in[Field::TransposeA]) text += ".tnspA";
  if (in[Field::NegateB]) text += ".negB";
  if (in[Field::TransposeB]) text += ".tnspB";
  text += ", " + operand_text(in, in.c, false);
  if (in.q0.index != kTrue || in.q0.negate) text += ", " + predicate_text(in.q0, true);
  return in[Field::Group] == 0 ? text + ", gsb0" : text;
}

}  // namespace

std::string to_string(const Instruction& in) {
  const Row& row = row_of(in.opcode);
  std::string text;
  if (in.guard.present)
    text = fmt::format("@{}{} ", in.guard.negate ? "!" : "", predicate_name(in.guard.index, in.guard_uniform));
  if (in.opcode == Opcode::HGMMA || in.opcode == Opcode::HGMMA_R) return text + group_product_text(in);
  text += row.text;
  if (in.opcode == Opcode::RED && in.architecture >= 90) text += "G";
  text += imad_alias(in);
  const bool converts = in.opcode == Opcode::F2I || in.opcode == Opcode::I2F;
  if (converts) text += conversion_text(in);
  for (const Modifier& modifier : row.modifiers) {
    if (converts) break;
    const std::string_view word = has_modifier(in, modifier) ? modifier.texts[in[modifier.field]] : "";
    if (!word.empty()) text.append(".").append(word);
  }
  if (in.opcode == Opcode::WARPSYNC && waits_for_all(in)) text += ".ALL";
  if (in.architecture < 80 && loads_or_stores(in.opcode) && in[Field::Order] == 0) text += ".SYS";
  const bool is_indirect = in.opcode == Opcode::BRXU || in.opcode == Opcode::RET_REL || in.opcode == Opcode::CALL_REL_R;
  bool first = true;
  for (const OperandPlace& place : row.operands) {
    if (!has_operand(in, place)) continue;
    const std::string operand = operand_text(in, place);
    if (operand.empty()) continue;
    text += first || is_indirect ? " " : ", ";
    text += operand;
    first = false;
  }
  return text;
}

}  // namespace tilescope::sass
