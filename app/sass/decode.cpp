#include "sass/decode.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "sass/opcode_table.h"

namespace tilescope::sass {
namespace {

/// Reads fields of an instruction and remembers which bits were read.
class Reader {
 public:
  Reader(uint64_t low, uint64_t high) : low_(low), high_(high) {
    take(0, 16);   // opcode and guard
    take(91, 1);   // of the opcode
    take(96, 32);  // control
  }
  uint32_t bits(uint32_t position, uint32_t width) {
    take(position, width);
    return static_cast<uint32_t>(peek(position, width));
  }
  uint64_t peek(uint32_t position, uint32_t width) const {
    const uint64_t word = position >= 64  ? high_ >> (position - 64)
                          : position == 0 ? low_
                                          : low_ >> position | high_ << (64 - position);
    return width == 64 ? word : word & ((uint64_t{1} << width) - 1);
  }
  int32_t signed_bits(uint32_t position, uint32_t width) {
    return static_cast<int32_t>(bits(position, width) << (32 - width)) >> (32 - width);
  }
  void take(uint32_t position, uint32_t width) {
    for (uint32_t bit = position; bit < position + width; ++bit)
      (bit < 64 ? known_low_ : known_high_) |= uint64_t{1} << (bit & 63);
  }
  uint64_t unknown_low() const { return low_ & ~known_low_; }
  uint64_t unknown_high() const { return high_ & ~known_high_; }

 private:
  uint64_t low_, high_;
  uint64_t known_low_ = 0, known_high_ = 0;
};

PredicateUse source_predicate(Reader& reader, uint32_t position, uint32_t negate) {
  return {static_cast<uint8_t>(reader.bits(position, 3)), reader.bits(negate, 1) != 0, true};
}

Operand register_at(Reader& reader, uint32_t position, bool uniform) {
  Operand operand;
  operand.kind = uniform ? Operand::Kind::Uniform : Operand::Kind::Register;
  operand.index = static_cast<uint8_t>(reader.bits(position, uniform ? 6 : 8));
  return operand;
}

// Where the bits lie that negate a source, take its absolute value and say which half it is, of those at bits 24,
// 32, 64.
struct SourcePlace {
  uint32_t negate, absolute, half;
};
constexpr SourcePlace kPlaceA{72, 73, 74}, kPlace32{63, 62, 60}, kPlace64{75, 74, 0}, kPlaceHalf64{84, 83, 81},
    kPlaceThirdHalf{84, 83, 76};

void read_adjustments(Reader& reader, const OperandPlace& wanted, const SourcePlace& place, Operand& operand) {
  if (wanted.negate) operand.negate = reader.bits(place.negate, 1) != 0;
  if (wanted.absolute) operand.absolute = reader.bits(place.absolute, 1) != 0;
  if (wanted.halves) operand.half = static_cast<uint8_t>(reader.bits(place.half, 2));
}

/// The source at bit 32 of an opcode with forms: a register, an immediate, a constant or a uniform register.
Operand source_at_32(Reader& reader, uint32_t code, const OperandPlace& wanted, bool uniform_path) {
  const uint32_t form = code >> 9 & 7;
  Operand operand;
  if (uniform_path) {
    if (form == 2 || form == 4) {
      operand.kind = Operand::Kind::Immediate;
      operand.bits = reader.bits(32, 32);
      return operand;
    }
    operand = register_at(reader, 32, true);
    read_adjustments(reader, wanted, kPlace32, operand);
    return operand;
  }
  switch (form) {
    case 2:
    case 4:
      operand.kind = Operand::Kind::Immediate;
      operand.bits = reader.bits(32, 32);
      return operand;
    case 3:
    case 5:
      operand.kind = Operand::Kind::Constant;
      operand.bank = static_cast<uint8_t>(reader.bits(54, 5));
      operand.offset = static_cast<int32_t>(reader.bits(38, 16));
      if (code >> 12) {
        operand.bindless = true;
        operand.indexed_by_uniform = true;
        operand.index = static_cast<uint8_t>(reader.bits(32, 6));
      }
      break;
    case 6:
    case 7: operand = register_at(reader, 32, true); break;
    default: operand = register_at(reader, 32, false); break;
  }
  read_adjustments(reader, wanted, kPlace32, operand);
  return operand;
}

Operand source_at_64(Reader& reader, const OperandPlace& wanted, const Instruction& in) {
  Operand operand = register_at(reader, 64, in.uniform);
  const SourcePlace& halves = in.opcode == Opcode::VHMNMX ? kPlaceThirdHalf : kPlaceHalf64;
  read_adjustments(reader, wanted, wanted.halves ? halves : kPlace64, operand);
  return operand;
}

/// Whether b is at bit 64 and the other form, which may be no register, is c.
bool last_is_other(uint32_t code) {
  const uint32_t form = code >> 9 & 7;
  return form == 2 || form == 3 || form == 7;
}

// LD and ST without a uniform register, which have an offset of 32 bits.
constexpr uint32_t kGenericLoad = 0x980, kGenericStore = 0x385;

/// [R + UR + offset] with R at bit 24.
Address address_at(Reader& reader, uint32_t code, uint32_t uniform_position) {
  Address address;
  address.present = true;
  address.base = static_cast<uint8_t>(reader.bits(24, 8));
  const bool is_long = code == kGenericLoad || code == kGenericStore;
  address.offset = is_long ? reader.signed_bits(32, 32) : reader.signed_bits(40, 24);
  address.has_uniform = code >> 12 != 0;
  if (address.has_uniform) address.uniform = static_cast<uint8_t>(reader.bits(uniform_position, 6));
  return address;
}

/// `descriptor`: the bit that makes the uniform register one.
Address global_address(Reader& reader, uint32_t code, uint32_t uniform_position, uint32_t descriptor) {
  Address address = address_at(reader, code, uniform_position);
  address.wide = reader.bits(72, 1) != 0;
  address.descriptor = reader.bits(descriptor, 1) != 0 && address.has_uniform;
  reader.take(87, 4);
  return address;
}

Address uniform_address(Reader& reader, uint32_t position) {
  Address address;
  address.present = true;
  address.has_uniform = true;
  address.uniform = static_cast<uint8_t>(reader.bits(position, 6));
  return address;
}

/// Where a branch at `offset` goes: a signed number of 48 bits from bit 34 on, in units of 4 bytes; with bits 16 to 23
/// as its low byte from sm_90 on.
uint32_t branch_target(Reader& reader, uint32_t offset, bool has_low_byte) {
  reader.take(32, 50);
  int64_t distance = static_cast<int64_t>(reader.peek(34, 48));
  if (distance >> 47 & 1) distance -= int64_t{1} << 48;
  if (has_low_byte) distance = distance * 256 + reader.bits(16, 8);
  return static_cast<uint32_t>(offset + kInstructionBytes + distance * 4);
}

void read_operand(Reader& reader, uint32_t code, uint32_t architecture, const OperandPlace& place, Instruction& in) {
  const auto destination_predicate = [&](uint32_t position) {
    return PredicateUse{static_cast<uint8_t>(reader.bits(position, 3)), false, true};
  };
  const bool swapped = last_is_other(code);
  switch (place.kind) {
    case 'd': in.d = register_at(reader, 16, in.uniform); break;
    case 'D': in.d = register_at(reader, 16, true); break;
    case 'a':
      in.a = register_at(reader, 24, in.uniform);
      read_adjustments(reader, place, kPlaceA, in.a);
      break;
    case 'b': in.b = swapped ? source_at_64(reader, place, in) : source_at_32(reader, code, place, in.uniform); break;
    case 'c': in.c = swapped ? source_at_32(reader, code, place, in.uniform) : source_at_64(reader, place, in); break;
    case 's':
    case 'v': in.b = source_at_32(reader, code, place, in.uniform); break;
    case 'U':
      in.b = source_at_32(reader, code, place, in.uniform);
      if (in.b.is_register() || in.b.is_uniform()) in.immediate0 = reader.bits(60, 2);
      break;
    case 'A': in.a = register_at(reader, 24, false); break;
    case 'B': in.b = register_at(reader, code == kGenericStore ? 64 : 32, false); break;
    case 'C': in.c = register_at(reader, 64, false); break;
    case 'x': in.a = register_at(reader, 24, true); break;
    case 'y': in.b = register_at(reader, 32, true); break;
    case 'z': in.c = register_at(reader, 64, true); break;
    case 'O':
      if (reader.bits(76, 1)) in.b = register_at(reader, 40, true);
      break;
    case 'p': in.p0 = destination_predicate(81); break;
    case 'P': in.p1 = destination_predicate(84); break;
    case 'q': in.q0 = source_predicate(reader, 87, 90); break;
    case 'r': in.q1 = source_predicate(reader, 77, 80); break;
    case 't': in.q2 = source_predicate(reader, 68, 71); break;
    case 'k':
      in.b.kind = Operand::Kind::Constant;
      in.b.bank = static_cast<uint8_t>(reader.bits(54, 5));
      in.b.offset = reader.signed_bits(38, 16);
      if (code == 0x1abb) {
        in.b.indexed_by_uniform = true;
        in.b.index = static_cast<uint8_t>(reader.bits(24, 6));
      } else if (code == 0xb82) {
        in.b.index = static_cast<uint8_t>(reader.bits(24, 8));
      }
      break;
    case 'l': in.address = address_at(reader, code, 32); break;
    case 'n': in.address = address_at(reader, code, 64); break;
    case 'g': in.address = global_address(reader, code, 32, 76); break;
    case 'h': in.address = global_address(reader, code, 64, 76); break;
    case 'o': in.address = global_address(reader, code, 64, 71); break;
    case 'm':
      in.address = uniform_address(reader, 24);
      in.address.offset = reader.signed_bits(40, 24);
      break;
    case 'M': in.address = uniform_address(reader, 32); break;
    case 'N': in.from = uniform_address(reader, 24); break;
    case 'e':
      in.address.present = true;
      in.address.base = static_cast<uint8_t>(reader.bits(16, 8));
      in.address.offset = reader.signed_bits(44, 20);
      break;
    case 'f':
      in.from.present = true;
      in.from.base = static_cast<uint8_t>(reader.bits(24, 8));
      in.from.offset = reader.signed_bits(32, 12);
      in.from.wide = true;
      in.from.descriptor = reader.bits(76, 1) != 0;
      in.from.has_uniform = code >> 12 != 0;
      if (in.from.has_uniform) in.from.uniform = static_cast<uint8_t>(reader.bits(64, 6));
      break;
    case 'i': in.immediate0 = reader.bits(place.position, place.width); break;
    case 'j': in.immediate1 = reader.bits(place.position, place.width); break;
    case 'S': in.immediate0 = reader.bits(72, 8); break;
    case 'H': in.q0 = {static_cast<uint8_t>(reader.bits(87, 3) ^ kTrue), reader.bits(90, 1) != 0, true}; break;
    case 'W': in.immediate1 = reader.bits(72, 3); break;
    case 'X':
      in.immediate0 = reader.bits(44, 3);
      in.immediate1 = reader.bits(38, 6);
      in.b.bits = reader.bits(32, 6);
      break;
    case 'L':
      in.immediate0 = reader.bits(64, 3) | reader.bits(72, 5) << 3;
      in.q2_uniform = reader.bits(67, 1) != 0;
      break;
    case 'T': in.target = branch_target(reader, in.offset, architecture >= 90 && code != 0x945); break;
    case 'Y': {
      const bool is_collective = in[Field::Mode] == kCollective;
      if (code == 0x348)
        in.b = register_at(reader, architecture >= 90 ? 24 : 32, false);
      else if (is_collective)
        in.b.kind = Operand::Kind::Immediate;
      else
        in.b = source_at_32(reader, code, place, false);
      if (is_collective) in.target = branch_target(reader, in.offset, true);
      break;
    }
    case 'V': in.immediate0 = reader.bits(16, 4); break;
    case 'u':
      if (code == 0x389 || code == 0x589)
        in.b = register_at(reader, 32, false);
      else {
        in.b.kind = Operand::Kind::Immediate;
        in.b.bits = reader.bits(53, 5);
      }
      break;
    case 'w':
      if (code == 0x389 || code == 0x989)
        in.c = register_at(reader, 64, false);
      else {
        in.c.kind = Operand::Kind::Immediate;
        in.c.bits = reader.bits(40, 13);
      }
      break;
    case '&':  // Barrier and count; one register can be both.
      if (code == 0xb1d || code == 0x91d) {
        in.b.kind = Operand::Kind::Immediate;
        in.b.bits = reader.bits(54, 4);
      } else
        in.b = register_at(reader, 32, false);
      if (code == 0xb1d || code == 0x51d) {
        in.c.kind = Operand::Kind::Immediate;
        in.c.bits = reader.bits(42, 12);
      } else
        in.c = register_at(reader, 32, false);
      break;
    case '_': reader.take(place.position, place.width); break;
    default: break;
  }
}

void read_reuse(const Reader& reader, bool last_is_b, Instruction& in) {
  const auto mark = [&](uint32_t bit, Operand& operand) {
    if (operand.is_register()) operand.reuse = reader.peek(bit, 1) != 0;
  };
  mark(122, in.a);
  mark(last_is_b ? 124 : 123, in.b);
  mark(124, in.c);
}

}  // namespace

/// sm_75 writes .SYS, 7 in Field::Order, for a load or store without an order; later it means .STRONG.GPU.
void forget_system_scope(Instruction& in) {
  constexpr uint8_t kSystem = 7;
  uint8_t& order = in.fields[static_cast<size_t>(Field::Order)];
  if (loads_or_stores(in.opcode) && order == kSystem) order = 0;
}

/// From sm_90 on, where atomics on floating-point numbers are opcodes of their own, 3 in Field::Type is S64, as 5 is
/// before.
void rename_long_atomics(Instruction& in) {
  constexpr uint8_t kSince90 = 3, kBefore = 5;
  uint8_t& type = in.fields[static_cast<size_t>(Field::Type)];
  const bool has_types = in.opcode == Opcode::ATOM || in.opcode == Opcode::ATOMG || in.opcode == Opcode::RED;
  if (has_types && type == kSince90) type = kBefore;
}

Result<Instruction> decode(std::span<const uint8_t> bytes, uint32_t offset, uint32_t architecture) {
  Instruction in;
  std::memcpy(&in.low, bytes.data(), sizeof in.low);
  std::memcpy(&in.high, bytes.data() + sizeof in.low, sizeof in.high);
  in.offset = offset;
  in.architecture = architecture;
  Reader reader(in.low, in.high);
  const auto code = static_cast<uint32_t>(reader.peek(0, 12) | reader.peek(91, 1) << 12);
  const Row* row = find_row(code);
  if (!row)
    return error({"The machine instruction at {:#06x} has an opcode that is not known: {:#x} (bits {:016x} {:016x}).",
                  offset, code, in.high, in.low});
  in.opcode = row->opcode;
  in.pipe = row->pipe;
  in.numbers = row->numbers;
  in.uniform = row->pipe == Pipe::Uniform && row->opcode != Opcode::R2UR && row->opcode != Opcode::VOTEU;
  const auto guard = static_cast<uint8_t>(reader.peek(12, 3));
  const bool negated = reader.peek(15, 1) != 0;
  in.guard = {guard, negated, guard != kTrue || negated};
  in.guard_uniform = in.uniform || row->pipe == Pipe::Copy || row->opcode == Opcode::SYNCS_EXCH;
  in.control = {static_cast<uint8_t>(reader.peek(105, 4)), reader.peek(109, 1) == 0,
                static_cast<uint8_t>(reader.peek(110, 3)), static_cast<uint8_t>(reader.peek(113, 3)),
                static_cast<uint8_t>(reader.peek(116, 6))};
  for (const Modifier& modifier : row->modifiers) {
    const uint32_t value = reader.bits(modifier.position, modifier.width);
    in.fields[static_cast<size_t>(modifier.field)] = static_cast<uint8_t>(value);
    if (!modifier.texts.empty() && (value >= modifier.texts.size() || modifier.texts[value] == "?"))
      return error(
          {"A modifier of the machine instruction {} at {:#06x} is not known: {} in bits {} to {} (bits {:016x} "
           "{:016x}).",
           row->text, offset, value, modifier.position, modifier.position + modifier.width - 1, in.high, in.low});
  }
  if (architecture < 80) forget_system_scope(in);
  if (architecture >= 90) rename_long_atomics(in);
  for (const OperandPlace& place : row->operands) read_operand(reader, code, architecture, place, in);
  read_reuse(reader, std::ranges::any_of(row->operands, [](const OperandPlace& place) { return place.kind == 'v'; }),
             in);
  if (reader.unknown_low() || reader.unknown_high())
    return error(
        {"The machine instruction {} at {:#06x} has bits whose meaning is not known: {:016x} {:016x} of {:016x} "
         "{:016x}.",
         row->text, offset, reader.unknown_high(), reader.unknown_low(), in.high, in.low});
  return in;
}

Result<std::vector<Instruction>> decode_kernel(std::span<const uint8_t> code, uint32_t architecture) {
  std::vector<Instruction> all;
  all.reserve(code.size() / kInstructionBytes);
  for (size_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
    Result<Instruction> one = decode(code.subspan(at), static_cast<uint32_t>(at), architecture);
    if (!one) return one.errors();
    all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace tilescope::sass
