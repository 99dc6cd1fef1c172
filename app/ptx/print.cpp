#include <string>

#include <fmt/format.h>

#include "ptx/module.h"
#include "ptx/opcode_table.h"

namespace tilescope::ptx {
namespace {

template <class... Parts>
void append(std::string& text, fmt::format_string<Parts...> format, Parts&&... parts) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Parts>(parts)...);
}

/// Prints instructions of one function.
class Printer {
 public:
  Printer(const Module& module, const Function& function) : module_(module), function_(function) {}
  void instruction(std::string& text, const Instruction& instruction) const;

 private:
  void operand(std::string& text, const Instruction& instruction, const Operand& operand, Type type,
               Type element_type) const;
  void address(std::string& text, const Instruction& instruction, const Operand& operand, Type element_type) const;
  void vector(std::string& text, const Instruction& instruction, const Operand& vector, Type type) const;
  void immediate(std::string& text, uint64_t bits, Type type) const;
  const std::string& variable_name(const Operand& operand) const {
    return variable_of(module_, function_, operand.variable).name;
  }
  const std::string& register_name(int32_t index) const { return function_.registers[static_cast<size_t>(index)].name; }

  const Module& module_;
  const Function& function_;
};

void Printer::instruction(std::string& text, const Instruction& instruction) const {
  if (instruction.guard >= 0)
    append(text, "@{}{} ", instruction.guard_negated ? "!" : "", register_name(instruction.guard));
  append(text, "{}{}", mnemonic(instruction.op), instruction.modifiers);
  OperandKinds kinds;
  operand_kinds(instruction, kinds);
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const bool second_of_pair = i == 1 && kinds.kinds[1] == SlotKind::Dp;
    text += i == 0 ? " " : second_of_pair ? "|" : ", ";
    const SlotKind kind = i < kinds.count ? kinds.kinds[i] : SlotKind::List;
    operand(text, instruction, instruction.operands[i], operand_type(instruction, kind),
            element_type(instruction, kind, instruction.operands[i].elements.size()));
  }
  text += ';';
}

void Printer::operand(std::string& text, const Instruction& instruction, const Operand& operand, Type type,
                      Type element_type) const {
  if (operand.negated) text += '!';
  switch (operand.kind) {
    case Operand::Kind::Register: text += register_name(operand.index); break;
    case Operand::Kind::Immediate: immediate(text, operand.bits, type); break;
    case Operand::Kind::Special:
      text += to_string(operand.special);
      if (has_components(operand.special)) append(text, ".{}", "xyz"[operand.component]);
      break;
    case Operand::Kind::Address: address(text, instruction, operand, element_type); break;
    case Operand::Kind::Variable:
      text += variable_name(operand);
      if (operand.offset) append(text, "{:+}", operand.offset);
      break;
    case Operand::Kind::Label: append(text, "$L_{}", operand.index); break;
    case Operand::Kind::LabelList: append(text, "$L_targets_{}", operand.index); break;
    case Operand::Kind::Function: text += module_.functions[static_cast<size_t>(operand.index)].name; break;
    case Operand::Kind::Prototype: append(text, "$L_prototype_{}", operand.index); break;
    case Operand::Kind::Vector: vector(text, instruction, operand, element_type); break;
    case Operand::Kind::Sink: text += '_'; break;
  }
}

void Printer::address(std::string& text, const Instruction& instruction, const Operand& operand,
                      Type element_type) const {
  text += '[';
  if (operand.index >= 0) text += register_name(operand.index);
  if (operand.variable >= 0) text += variable_name(operand);
  const bool has_base = operand.index >= 0 || operand.variable >= 0;
  if (!has_base)
    append(text, "{}", operand.offset);
  else if (operand.offset)
    append(text, "+{}", operand.offset);  // "+-4": ptxas does not accept "-4" here.
  if (!operand.elements.empty()) {
    text += ", ";
    vector(text, instruction, operand, element_type);
  }
  text += ']';
}

void Printer::vector(std::string& text, const Instruction& instruction, const Operand& vector, Type type) const {
  const bool is_list = instruction.op == Op::Call;
  text += is_list ? '(' : '{';
  for (size_t i = 0; i < vector.elements.size(); ++i) {
    if (i) text += ", ";
    operand(text, instruction, vector.elements[i], type, Type::None);
  }
  text += is_list ? ')' : '}';
}

void Printer::immediate(std::string& text, uint64_t bits, Type type) const {
  if (type == Type::F32)
    append(text, "0f{:08X}", bits);
  else if (type == Type::F64)
    append(text, "0d{:016X}", bits);
  else
    append(text, "{}", static_cast<int64_t>(bits));
}

}  // namespace

std::string print(const Module& module, const Function& function, const Instruction& instruction) {
  std::string text;
  Printer(module, function).instruction(text, instruction);
  return text;
}

}  // namespace tilescope::ptx
