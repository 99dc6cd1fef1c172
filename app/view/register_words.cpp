#include "view/register_words.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/words.h"

namespace tilescope::view {
namespace {
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;

bool is_untyped(Type type) {
  return type == Type::None || type == Type::B8 || type == Type::B16 || type == Type::B32 || type == Type::B64;
}

/// The type of a register's bits: the instruction's if it fits, else the register's.
Type type_of(const ptx::Register& reg, Type said) {
  const bool fits = !is_untyped(said) && ptx::size_of(said) == ptx::size_of(reg.type);
  return fits && reg.type != Type::Pred ? said : reg.type;
}

int64_t sign_extended(uint64_t bits, uint32_t bytes) {
  const uint32_t unused = 64 - 8 * bytes;
  return static_cast<int64_t>(bits << unused) >> unused;
}

/// One lane's view of the instruction at the cursor.
class LaneRegisters {
 public:
  LaneRegisters(const Focus& focus, uint32_t lane)
      : function_(focus.traced->function()),
        instruction_(focus.traced->instruction(focus.traced->timeline.pc(focus.cursor))),
        registers_(*focus.registers),
        lane_(lane) {}

  std::string words() const {
    const std::string result = joined(registers_.written, instruction_.type);
    if (const std::string formula = this->formula(); !formula.empty() && !result.empty()) return formula_with(formula);
    const std::string sources = joined(registers_.read, source_type());
    return result.empty() || sources.empty() ? result + sources : tr_format("{}, from {}", result, sources);
  }

 private:
  // The strip shows the target of an address in a better way.
  bool is_address(int32_t index) const {
    return std::any_of(instruction_.operands.begin(), instruction_.operands.end(), [&](const Operand& operand) {
      return operand.kind == Operand::Kind::Address && operand.index == index;
    });
  }
  Type source_type() const {
    return instruction_.source_type == Type::None ? instruction_.type : instruction_.source_type;
  }

  std::string name(const emulator::Registers::Register& values) const { return reg(values).name; }
  const ptx::Register& reg(const emulator::Registers::Register& values) const {
    return function_.registers[static_cast<size_t>(values.index)];
  }
  std::string value(const emulator::Registers::Register& values, Type said) const {
    return value_text(values.bits[lane_], type_of(reg(values), said));
  }

  std::string joined(const std::vector<emulator::Registers::Register>& all, Type said) const {
    std::string text;
    for (const emulator::Registers::Register& each : all)
      if (!is_address(each.index))
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name(each), value(each, said));
    return text;
  }

  std::optional<std::string> source(size_t number) const {
    if (number >= instruction_.operands.size()) return std::nullopt;
    const Operand& operand = instruction_.operands[number];
    if (operand.kind == Operand::Kind::Immediate) return value_text(operand.bits, instruction_.type);
    if (operand.kind != Operand::Kind::Register) return std::nullopt;
    for (const emulator::Registers::Register& each : registers_.read)
      if (each.index == operand.index) return value(each, instruction_.type);
    return std::nullopt;
  }

  /// The sources with their signs; empty if it is not a sum or product.
  std::string formula() const {
    const std::optional<std::string> a = source(1), b = source(2), c = source(3);
    if (!a || !b || instruction_.part == ptx::Part::Hi) return {};
    switch (instruction_.op) {
      case Op::Add: return fmt::format("{} + {}", *a, *b);
      case Op::Sub: return fmt::format("{} − {}", *a, *b);
      case Op::Mul: return fmt::format("{} × {}", *a, *b);
      case Op::Mad:
      case Op::Fma: return c ? fmt::format("{} × {} + {}", *a, *b, *c) : std::string();
      default: return {};
    }
  }

  std::string formula_with(const std::string& formula) const {
    const emulator::Registers::Register& result = registers_.written.front();
    return fmt::format("{} = {} = {}", name(result), formula, value(result, instruction_.type));
  }

  const ptx::Function& function_;
  const Instruction& instruction_;
  const emulator::Registers& registers_;
  uint32_t lane_;
};

}  // namespace

std::string value_text(uint64_t bits, Type type) {
  if (type == Type::Pred) return bits & 1 ? "true" : "false";
  if (type == Type::F32) return fmt::format("{:.6g}", std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (type == Type::F64) return fmt::format("{:.6g}", std::bit_cast<double>(bits));
  const uint32_t bytes = std::clamp<uint32_t>(ptx::size_of(type), 1, 8);
  if (ptx::is_float(type) || ptx::size_of(type) > 8) return fmt::format("0x{:0{}x}", bits, 2 * bytes);
  const bool is_unsigned = type == Type::U8 || type == Type::U16 || type == Type::U32;
  if (is_unsigned) return fmt::format("{}", bits);
  const int64_t number = sign_extended(bits, bytes);
  return number == static_cast<int32_t>(number) ? fmt::format("{}", number) : fmt::format("0x{:x}", bits);
}

std::string register_words(const Focus& focus, uint32_t lane) {
  if (!focus.registers || !(focus.registers->lanes >> lane & 1)) return {};
  return LaneRegisters(focus, lane).words();
}

}  // namespace tilescope::view
