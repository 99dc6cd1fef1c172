#include "ptx/shared_elements.h"

#include <optional>
#include <set>
#include <vector>

namespace tilescope::ptx {
namespace {

using Variables = std::set<const Variable*>;

std::optional<Element> element_of(Type type) {
  switch (type) {
    case Type::F16: return Element::F16;
    case Type::BF16: return Element::BF16;
    case Type::F32:
    case Type::TF32: return Element::F32;
    case Type::F64: return Element::F64;
    default: break;
  }
  switch (size_of(type)) {
    case 1: return is_signed(type) ? Element::I8 : Element::U8;
    case 2: return is_signed(type) ? Element::I16 : Element::U16;
    case 4: return is_signed(type) ? Element::I32 : Element::U32;
    case 8: return is_signed(type) ? Element::I64 : Element::U64;
    default: return std::nullopt;
  }
}

bool is_access(const Instruction& instruction) {
  const OpClass kind = class_of(instruction.op);
  return kind == OpClass::Load || kind == OpClass::Store || kind == OpClass::Atomic;
}

/// Which shared variables a register may point into: those whose address it was computed from.
class Pointers {
 public:
  Pointers(const Module& module, const Function& function)
      : module_(module), function_(function), of_(function.registers.size()) {
    while (follow())
      ;
  }

  Variables of(const Operand& operand) const {
    if (operand.variable >= 0) {
      const Variable& variable = variable_of(module_, function_, operand.variable);
      return variable.space == Space::Shared ? Variables{&variable} : Variables{};
    }
    return operand.index >= 0 && is_register(operand) ? of_[static_cast<size_t>(operand.index)] : Variables{};
  }

 private:
  static bool is_register(const Operand& operand) {
    return operand.kind == Operand::Kind::Register || operand.kind == Operand::Kind::Address;
  }

  /// One pass over the text; false if nothing changed.
  bool follow() {
    bool grew = false;
    for (const Instruction& instruction : function_.instructions) {
      if (is_access(instruction) || instruction.operands.empty() ||
          instruction.operands.front().kind != Operand::Kind::Register)
        continue;
      Variables& target = of_[static_cast<size_t>(instruction.operands.front().index)];
      const size_t before = target.size();
      for (size_t i = 1; i < instruction.operands.size(); ++i) target.merge(of(instruction.operands[i]));
      grew |= target.size() != before;
    }
    return grew;
  }

  const Module& module_;
  const Function& function_;
  std::vector<Variables> of_;  ///< By register.
};

}  // namespace

std::map<const Variable*, Element> shared_elements(const Module& module, const Function& function) {
  const Pointers pointers(module, function);
  std::map<const Variable*, Element> elements;
  Variables mixed;
  for (const Instruction& instruction : function.instructions) {
    if (!is_access(instruction)) continue;
    const std::optional<Element> element = element_of(instruction.type);
    for (const Operand& operand : instruction.operands) {
      if (operand.kind != Operand::Kind::Address) continue;
      for (const Variable* variable : pointers.of(operand)) {
        if (!element) {
          mixed.insert(variable);
          continue;
        }
        Element& known = elements.try_emplace(variable, *element).first->second;
        if (size_of(known) != size_of(*element)) mixed.insert(variable);
        if (is_floating(*element)) known = *element;
      }
    }
  }
  for (const Variable* variable : mixed) elements.erase(variable);
  return elements;
}

}  // namespace tilescope::ptx
