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

/// Calls visit(instruction), which returns whether it changed anything, until nothing changes.
template <class Visit>
void until_settled(const ptx::Function& function, Visit visit) {
  for (bool learnt = true; learnt;) {
    learnt = false;
    for (const Instruction& instruction : function.instructions)
      if (!instruction.operands.empty() && visit(instruction)) learnt = true;
  }
}

/// Whether the instruction adds to a sum. `multiplied`: results of multiply-adds.
bool adds_to_sum(const Instruction& instruction, const RegisterSet& multiplied) {
  return ptx::class_of(instruction.op) == OpClass::MatrixMultiply ||
         (is_multiply_add(instruction) && multiplied.has(instruction.operands[3]));
}

bool is_store(const Instruction& instruction) {
  return ptx::class_of(instruction.op) == OpClass::Store && instruction.operands.size() > 1;
}

/// The registers from which those of the set are computed, and the set, except sums.
RegisterSet with_sources(const ptx::Function& function, const RegisterSet& multiplied, RegisterSet sources) {
  until_settled(function, [&](const Instruction& instruction) {
    if (has_address(instruction) || adds_to_sum(instruction, multiplied) || !sources.has(instruction.operands[0]))
      return false;
    bool learnt = false;
    for (size_t i = 1; i < instruction.operands.size(); ++i) learnt |= sources.add(instruction.operands[i]);
    return learnt;
  });
  return sources;
}

/// The values of some stores. is_wanted(pc) selects them.
template <class Wanted>
RegisterSet values_of_stores(const ptx::Function& function, Wanted is_wanted) {
  RegisterSet values(function);
  for (size_t pc = 0; pc < function.instructions.size(); ++pc)
    if (is_store(function.instructions[pc]) && is_wanted(pc)) values.add(function.instructions[pc].operands[1]);
  return values;
}

/// What is multiplied where a product is added to a sum.
RegisterSet factors_of_sums(const ptx::Function& function, const RegisterSet& multiplied) {
  RegisterSet factors(function);
  for (const Instruction& instruction : function.instructions)
    if (!instruction.operands.empty() && adds_to_sum(instruction, multiplied))
      for (size_t i = 1; i < 3; ++i) factors.add(instruction.operands[i]);
  return factors;
}

}  // namespace

ResultUses result_uses(const ptx::Function& function) {
  RegisterSet multiplied(function);  // Results of multiply-adds, wherever they are moved.
  until_settled(function, [&](const Instruction& instruction) {
    const bool moves = instruction.op == ptx::Op::Mov && takes(instruction, multiplied);
    return (moves || is_multiply_add(instruction)) && multiplied.add(instruction.operands[0]);
  });
  RegisterSet results(function);
  until_settled(function, [&](const Instruction& instruction) {
    const bool sums = adds_to_sum(instruction, multiplied);
    const bool computes = !has_address(instruction) && takes(instruction, results);
    return (sums || computes) && results.add(instruction.operands[0]);
  });
  ResultUses uses;
  for (const Instruction& instruction : function.instructions) {
    uses.stores.push_back(is_store(instruction) && results.has(instruction.operands[1]));
    uses.scales.push_back(is_multiply_add(instruction) && !multiplied.has(instruction.operands[3]) &&
                          takes(instruction, results));
  }
  const auto sources = [&](const RegisterSet& of) { return with_sources(function, multiplied, of); };
  const RegisterSet of_results = sources(values_of_stores(function, [&](size_t pc) { return uses.stores[pc]; }));
  const RegisterSet of_factors = sources(factors_of_sums(function, multiplied));
  const RegisterSet of_shared = sources(values_of_stores(
      function, [&](size_t pc) { return !uses.stores[pc] && function.instructions[pc].space == Space::Shared; }));
  for (const Instruction& instruction : function.instructions) {
    const bool loads = ptx::class_of(instruction.op) == OpClass::Load && !instruction.operands.empty();
    uses.loads.push_back(loads && of_results.has(instruction.operands[0]) && !of_factors.has(instruction.operands[0]));
    uses.passes.push_back(loads && of_shared.has(instruction.operands[0]));
  }
  return uses;
}

}  // namespace tilescope::analysis
