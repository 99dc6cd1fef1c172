#include "analysis/result_uses.h"

#include <algorithm>

#include "ptx/opcode_table.h"

namespace tilescope::analysis {
namespace {
using ptx::Instruction;
using ptx::OpClass;
using ptx::Operand;

/// A mark for each register.
class RegisterSet {
 public:
  explicit RegisterSet(const ptx::Function& function) : marks_(function.registers.size()) {}

  bool has(const Operand& operand) const {
    if (operand.kind == Operand::Kind::Register) return marks_[static_cast<size_t>(operand.index)];
    return operand.kind == Operand::Kind::Vector &&
           std::any_of(operand.elements.begin(), operand.elements.end(), [&](const Operand& o) { return has(o); });
  }
  /// Whether that changes the set.
  bool add(const Operand& operand) {
    bool is_new = false;
    if (operand.kind == Operand::Kind::Vector)
      for (const Operand& element : operand.elements) is_new |= add(element);
    if (operand.kind != Operand::Kind::Register || has(operand)) return is_new;
    marks_[static_cast<size_t>(operand.index)] = true;
    return true;
  }

 private:
  std::vector<bool> marks_;
};

bool is_multiply_add(const Instruction& instruction) {
  return ptx::class_of(instruction.op) == OpClass::MultiplyAdd && ptx::is_float(instruction.type) &&
         instruction.operands.size() >= 4;
}

bool has_address(const Instruction& instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                     [](const Operand& operand) { return operand.kind == Operand::Kind::Address; });
}

bool takes(const Instruction& instruction, const RegisterSet& set) {
  return std::any_of(instruction.operands.begin() + 1, instruction.operands.end(),
                     [&](const Operand& operand) { return set.has(operand); });
}

/// Calls visit(instruction), which says whether it learnt something, until it learns nothing more.
template <class Visit>
void until_settled(const ptx::Function& function, Visit visit) {
  for (bool learnt = true; learnt;) {
    learnt = false;
    for (const Instruction& instruction : function.instructions)
      if (!instruction.operands.empty() && visit(instruction)) learnt = true;
  }
}

}  // namespace

ResultUses result_uses(const ptx::Function& function) {
  RegisterSet multiplied(function);  // What multiply-adds make, wherever it is moved.
  until_settled(function, [&](const Instruction& instruction) {
    const bool moves = instruction.op == ptx::Op::Mov && takes(instruction, multiplied);
    return (moves || is_multiply_add(instruction)) && multiplied.add(instruction.operands[0]);
  });
  RegisterSet results(function);
  until_settled(function, [&](const Instruction& instruction) {
    const bool sums = ptx::class_of(instruction.op) == OpClass::MatrixMultiply ||
                      (is_multiply_add(instruction) && multiplied.has(instruction.operands[3]));
    const bool computes = !has_address(instruction) && takes(instruction, results);
    return (sums || computes) && results.add(instruction.operands[0]);
  });
  ResultUses uses;
  for (const Instruction& instruction : function.instructions) {
    const bool stores = ptx::class_of(instruction.op) == OpClass::Store && instruction.operands.size() > 1;
    uses.stores.push_back(stores && results.has(instruction.operands[1]));
    uses.scales.push_back(is_multiply_add(instruction) && !multiplied.has(instruction.operands[3]) &&
                          takes(instruction, results));
  }
  return uses;
}

}  // namespace tilescope::analysis
