#include "analysis/machine_loop.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/cubin.h"
#include "sass/cubin.h"

namespace tilescope::analysis {
namespace {
using Kind = MachineInstruction::Kind;

// Found by assembling PTX of known meaning with CUDA 13.0's ptxas, and by comparing with its disassembler.
constexpr uint64_t kOpcodeAndForm = 0xfff, kFfmaOfRegisters = 0x223;
constexpr struct {
  uint64_t opcode;
  Kind kind;
} kKinds[] = {{kMachineFfma, Kind::Fma}, {kMachineLds, Kind::SharedLoad}, {0x188, Kind::SharedStore},
              {0x1ae, Kind::AsyncCopy},  {0x181, Kind::GlobalLoad},       {0x11d, Kind::Barrier}};
constexpr int kReuseFrom = 58;        // In the high half: a bit for each of a, b and c.
constexpr double kMostOfMain = 0.85;  // A loop within the main one has nearly all of its FMAs.

struct Loop {
  size_t begin = 0, end = 0, fmas = 0;
  size_t length() const { return end - begin; }
};

/// Every backward branch with its loop.
std::vector<Loop> loops_of(std::span<const uint8_t> code) {
  std::vector<size_t> fmas_before{0};
  for (size_t i = 0; i < instruction_count(code); ++i)
    fmas_before.push_back(fmas_before.back() + ((code_at(code, i).low & kMachineOpcode) == kMachineFfma ? 1 : 0));
  std::vector<Loop> loops;
  for (size_t i = 0; i < instruction_count(code); ++i)
    if (const auto target = branch_target(code, i); target && *target < i)
      loops.push_back({*target, i + 1, fmas_before[i + 1] - fmas_before[*target]});
  return loops;
}

MachineInstruction read(const MachineCode& code) {
  MachineInstruction result;
  for (const auto& [opcode, kind] : kKinds)
    if ((code.low & kMachineOpcode) == opcode) result.kind = kind;
  if ((code.low & kOpcodeAndForm) != kFfmaOfRegisters) return result;
  result.d = static_cast<uint8_t>(code.low >> 16);
  result.operands = {static_cast<uint8_t>(code.low >> 24), static_cast<uint8_t>(code.low >> 32),
                     static_cast<uint8_t>(code.high)};
  for (size_t i = 0; i < 3; ++i) result.kept[i] = (code.high >> (kReuseFrom + i) & 1) != 0;
  return result;
}

/// The FMA's reads from the banks, given the previous FMA's kept operands in `slots`; and the operands it keeps.
void read_operands(MachineInstruction& fma, std::array<uint8_t, 3>& slots) {
  fma.reads = {};
  for (size_t i = 0; i < 3; ++i) {
    const uint8_t reg = fma.operands[i];
    fma.reused[i] = reg != kZeroRegister && slots[i] == reg;
    if (reg != kZeroRegister && !fma.reused[i]) ++fma.reads[reg % 2];
  }
  for (size_t i = 0; i < 3; ++i) slots[i] = fma.kept[i] ? fma.operands[i] : kZeroRegister;
}

std::string register_text(uint8_t number) {
  return number == kZeroRegister ? std::string("RZ") : fmt::format("R{}", number);
}

}  // namespace

double issue_clocks(std::span<MachineInstruction> instructions) {
  double clock = 0, start = 0;
  std::array<double, 2> bank_free{};
  std::array<uint8_t, 3> slots{};
  for (int turn = 0; turn < 2; ++turn) {
    start = clock;
    for (MachineInstruction& each : instructions) {
      if (each.kind != Kind::Fma) {
        slots.fill(kZeroRegister);
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
  const std::span<const uint8_t> code = sass::kernel_code(cubin, entry);
  const std::vector<Loop> loops = loops_of(code);
  size_t most = 0;
  for (const Loop& loop : loops) most = std::max(most, loop.fmas);
  const Loop* found = nullptr;
  for (const Loop& loop : loops)
    if (loop.fmas > 0 && static_cast<double>(loop.fmas) > kMostOfMain * static_cast<double>(most) &&
        (!found || loop.length() < found->length()))
      found = &loop;
  if (!found) return {};
  return code.subspan(found->begin * kMachineInstructionBytes, found->length() * kMachineInstructionBytes);
}

std::vector<MachineInstruction> read_instructions(std::span<const uint8_t> code) {
  std::vector<MachineInstruction> instructions;
  for (size_t i = 0; i < instruction_count(code); ++i) instructions.push_back(read(code_at(code, i)));
  return instructions;
}

std::optional<MachineLoop> read_main_loop(std::span<const uint8_t> code) {
  if (instruction_count(code) == 0) return std::nullopt;
  MachineLoop loop;
  loop.instructions = read_instructions(code);
  const double clocks = issue_clocks(loop.instructions);
  for (const MachineInstruction& each : loop.instructions) {
    if (each.kind != Kind::Fma) continue;
    ++loop.fmas;
    loop.conflicts += each.conflict() ? 1 : 0;
    loop.reads += each.reads[0] + each.reads[1];
  }
  loop.fma_clocks = loop.fmas / clocks;
  return loop;
}

std::string fma_text(const MachineInstruction& fma) {
  std::string text = "FFMA " + register_text(fma.d);
  for (size_t i = 0; i < 3; ++i)
    text += fmt::format(", {}{}", register_text(fma.operands[i]), fma.kept[i] ? ".reuse" : "");
  return text;
}

}  // namespace tilescope::analysis
