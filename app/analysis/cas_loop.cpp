#include "analysis/cas_loop.h"

#include "analysis/address_form.h"

namespace tilescope::analysis {
namespace {
using ptx::OpClass;
using ptx::Operand;

constexpr size_t kCompared = 2;  ///< Of atom.cas: d, [address], compared, new.

void add_registers(const Operand& operand, std::vector<bool>& registers, bool& grew) {
  if (operand.kind == Operand::Kind::Register && !registers[static_cast<size_t>(operand.index)])
    registers[static_cast<size_t>(operand.index)] = grew = true;
  for (const Operand& element : operand.elements) add_registers(element, registers, grew);
}

bool writes_one_of(const ptx::Instruction& instruction, const std::vector<bool>& registers) {
  for (const int32_t target : written_registers(instruction))
    if (registers[static_cast<size_t>(target)]) return true;
  return false;
}

}  // namespace

std::vector<bool> loads_that_cas_compares(const ptx::Function& function) {
  std::vector<bool> compared(function.registers.size(), false), loads(function.instructions.size(), false);
  bool grew = false;
  for (const ptx::Instruction& instruction : function.instructions)
    if (instruction.atomic == ptx::AtomicOp::Cas && instruction.operands.size() > kCompared)
      add_registers(instruction.operands[kCompared], compared, grew);
  while (grew) {
    grew = false;
    for (size_t pc = 0; pc < function.instructions.size(); ++pc) {
      const ptx::Instruction& instruction = function.instructions[pc];
      const OpClass kind = ptx::class_of(instruction.op);
      if ((kind != OpClass::Load && kind != OpClass::Move && kind != OpClass::Convert) ||
          !writes_one_of(instruction, compared))
        continue;
      if (kind == OpClass::Load)
        loads[pc] = true;
      else
        for (const Operand& operand : instruction.operands) add_registers(operand, compared, grew);
    }
  }
  return loads;
}

}  // namespace tilescope::analysis
