#include "analysis/retried_loads.h"

#include <algorithm>
#include <iterator>

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

const Operand* address_of(const ptx::Instruction& instruction) {
  for (const Operand& operand : instruction.operands)
    if (operand.kind == Operand::Kind::Address) return &operand;
  return nullptr;
}

/// The instructions of a loop: from where a branch leads back to, to the branch.
struct BranchBack {
  size_t first = 0, last = 0;
  bool contains(size_t pc) const { return first <= pc && pc <= last; }
};

std::vector<BranchBack> branches_back_of(const ptx::Function& function) {
  std::vector<BranchBack> loops;
  for (size_t pc = 0; pc < function.instructions.size(); ++pc)
    if (ptx::class_of(function.instructions[pc].op) == OpClass::Branch)
      for (const Operand& operand : function.instructions[pc].operands)
        if (operand.kind == Operand::Kind::Label && static_cast<size_t>(operand.index) <= pc)
          loops.push_back({static_cast<size_t>(operand.index), pc});
  return loops;
}

/// The branches that a value decides, by pc, through arithmetic alone.
std::vector<size_t> branches_on(const ptx::Function& function, size_t load) {
  std::vector<bool> from(function.registers.size(), false);
  for (const int32_t target : written_registers(function.instructions[load])) from[static_cast<size_t>(target)] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (const ptx::Instruction& instruction : function.instructions) {
      const OpClass kind = ptx::class_of(instruction.op);
      if (kind == OpClass::Load || kind == OpClass::Atomic || kind == OpClass::Store) continue;
      const std::vector<int32_t> targets = written_registers(instruction);
      const bool reads =
          std::any_of(instruction.operands.begin(), instruction.operands.end(), [&](const Operand& each) {
            return each.kind == Operand::Kind::Register && from[static_cast<size_t>(each.index)];
          });
      for (const int32_t target : targets)
        if (reads && !from[static_cast<size_t>(target)]) from[static_cast<size_t>(target)] = grew = true;
    }
  }
  std::vector<size_t> branches;
  for (size_t pc = 0; pc < function.instructions.size(); ++pc) {
    const ptx::Instruction& instruction = function.instructions[pc];
    if (ptx::class_of(instruction.op) == OpClass::Branch && instruction.guard >= 0 &&
        from[static_cast<size_t>(instruction.guard)])
      branches.push_back(pc);
  }
  return branches;
}

bool changes(const ptx::Function& function, const BranchBack& loop, int32_t index) {
  for (size_t pc = loop.first; pc <= loop.last; ++pc)
    for (const int32_t target : written_registers(function.instructions[pc]))
      if (target == index) return true;
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

std::vector<bool> loads_that_poll(const ptx::Function& function) {
  std::vector<bool> polls(function.instructions.size(), false);
  const std::vector<BranchBack> loops = branches_back_of(function);
  std::vector<const Operand*> flags;
  const auto is_volatile_load = [&](size_t pc) {
    const ptx::Instruction& instruction = function.instructions[pc];
    return ptx::class_of(instruction.op) == OpClass::Load && instruction.is_volatile && address_of(instruction);
  };
  for (size_t pc = 0; pc < polls.size() && !loops.empty(); ++pc) {
    if (!is_volatile_load(pc)) continue;
    const Operand* address = address_of(function.instructions[pc]);
    std::vector<BranchBack> around;
    std::copy_if(loops.begin(), loops.end(), std::back_inserter(around), [&](const BranchBack& loop) {
      return loop.contains(pc) && (address->index < 0 || !changes(function, loop, address->index));
    });
    if (around.empty()) continue;
    const std::vector<size_t> branches = branches_on(function, pc);
    if (std::any_of(around.begin(), around.end(), [&](const BranchBack& loop) {
          return std::any_of(branches.begin(), branches.end(), [&](size_t branch) { return loop.contains(branch); });
        }))
      flags.push_back(address);
  }
  for (size_t pc = 0; pc < polls.size(); ++pc)
    polls[pc] = is_volatile_load(pc) && std::any_of(flags.begin(), flags.end(), [&](const Operand* flag) {
                  return *flag == *address_of(function.instructions[pc]);
                });
  return polls;
}

}  // namespace tilescope::analysis
