#include "analysis/machine_loop.h"

#include <algorithm>

#include "sass/cubin.h"
#include "sass/decode.h"

namespace tilescope::analysis {
namespace {

constexpr double kMostOfMain = 0.85;  // A loop within the main one has nearly all of its FMAs.

struct Loop {
  size_t begin = 0, end = 0, fmas = 0;
  size_t length() const { return end - begin; }
};

/// Every backward branch with its loop.
std::vector<Loop> loops_of(std::span<const sass::Instruction> kernel) {
  std::vector<size_t> fmas_before{0};
  for (const sass::Instruction& each : kernel)
    fmas_before.push_back(fmas_before.back() + (kind_of(each) == MachineKind::Fma ? 1 : 0));
  std::vector<Loop> loops;
  for (size_t i = 0; i < kernel.size(); ++i) {
    if (!branches_back(kernel[i])) continue;
    const size_t begin = kernel[i].target / sass::kInstructionBytes;
    loops.push_back({begin, i + 1, fmas_before[i + 1] - fmas_before[begin]});
  }
  return loops;
}

MachineInstruction read(const sass::Instruction& in) {
  MachineInstruction result{kind_of(in)};
  if (result.kind != MachineKind::Fma || !in.b.is_register() || !in.c.is_register()) return result;
  result.text = sass::to_string(in);
  result.operands = {in.a.index, in.b.index, in.c.index};
  result.reuse = {in.a.reuse, in.b.reuse, in.c.reuse};
  return result;
}

/// The FMA's reads from the banks, given the operands that the previous FMA left in `slots`; and those that it leaves
/// there.
void read_operands(MachineInstruction& fma, std::array<uint8_t, 3>& slots) {
  fma.reads = {};
  for (size_t i = 0; i < 3; ++i) {
    const uint8_t reg = fma.operands[i];
    fma.reused[i] = reg != kNoRegister && slots[i] == reg;
    if (reg != kNoRegister && !fma.reused[i]) ++fma.reads[reg % 2];
  }
  for (size_t i = 0; i < 3; ++i) slots[i] = fma.reuse[i] ? fma.operands[i] : kNoRegister;
}

}  // namespace

double issue_clocks(std::span<MachineInstruction> instructions) {
  double clock = 0, start = 0;
  std::array<double, 2> bank_free{};
  std::array<uint8_t, 3> slots{};
  for (int turn = 0; turn < 2; ++turn) {
    start = clock;
    for (MachineInstruction& each : instructions) {
      if (each.kind != MachineKind::Fma) {
        slots.fill(kNoRegister);
        ++clock;
        continue;
      }
      read_operands(each, slots);
      const double issue = std::max(clock, std::max(bank_free[0], bank_free[1]) - kBankSlack);
      for (size_t bank = 0; bank < 2; ++bank)
        if (each.reads[bank] > 0) bank_free[bank] = std::max(bank_free[bank], issue) + each.reads[bank];
      clock = issue + 1;
    }
  }
  return clock - start;
}

std::span<const uint8_t> main_loop_code(std::span<const uint8_t> cubin, std::string_view entry) {
  const std::vector<Loop> loops = loops_of(read_machine_code(cubin, entry));
  size_t most = 0;
  for (const Loop& loop : loops) most = std::max(most, loop.fmas);
  const Loop* found = nullptr;
  for (const Loop& loop : loops)
    if (loop.fmas > 0 && static_cast<double>(loop.fmas) > kMostOfMain * static_cast<double>(most) &&
        (!found || loop.length() < found->length()))
      found = &loop;
  if (!found) return {};
  return sass::kernel_code(cubin, entry)
      .subspan(found->begin * sass::kInstructionBytes, found->length() * sass::kInstructionBytes);
}

std::vector<MachineInstruction> read_instructions(std::span<const sass::Instruction> code) {
  std::vector<MachineInstruction> instructions;
  for (const sass::Instruction& each : code) instructions.push_back(read(each));
  return instructions;
}

std::optional<MachineLoop> read_main_loop(std::span<const uint8_t> code) {
  constexpr uint32_t kAny = 90;  // Of the architectures: no branch is followed.
  MachineLoop loop;
  const std::vector<sass::Instruction> decoded = decode_machine_code(code, kAny);
  loop.instructions = read_instructions(decoded);
  loop.shared_loads = count_shared_loads(decoded);
  if (loop.instructions.empty()) return std::nullopt;
  const double clocks = issue_clocks(loop.instructions);
  for (const MachineInstruction& each : loop.instructions) {
    if (each.kind != MachineKind::Fma) continue;
    ++loop.fmas;
    loop.conflicts += each.conflict() ? 1 : 0;
    loop.reads += each.reads[0] + each.reads[1];
  }
  loop.fma_clocks = loop.fmas / clocks;
  return loop;
}

}  // namespace tilescope::analysis
