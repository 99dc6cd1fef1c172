#include "analysis/cubin.h"

#include <cstring>

namespace tilescope::analysis {
namespace {

constexpr uint64_t kBranchOpcodeBits = 0xfff, kBranch = 0x947;  // BRA, found by assembling PTX with CUDA 13.0's ptxas.

/// The distance of a branch, in instructions from the one after it: a signed number of 48 bits in units of 1024 bytes,
/// and its low byte in units of 4.
int64_t branch_distance(const MachineCode& code) {
  auto high = static_cast<int64_t>((code.low >> 34 | (code.high & 0x3ffff) << 30) & ((uint64_t{1} << 48) - 1));
  if (high >> 47 & 1) high -= int64_t{1} << 48;
  const int64_t bytes = (high * 256 + static_cast<int64_t>(code.low >> 16 & 0xff)) * 4;
  return bytes / static_cast<int64_t>(kMachineInstructionBytes);
}

}  // namespace

size_t instruction_count(std::span<const uint8_t> code) { return code.size() / kMachineInstructionBytes; }

MachineCode code_at(std::span<const uint8_t> code, size_t instruction) {
  MachineCode found;
  std::memcpy(&found.low, code.data() + instruction * kMachineInstructionBytes, sizeof found.low);
  std::memcpy(&found.high, code.data() + instruction * kMachineInstructionBytes + sizeof found.low, sizeof found.high);
  return found;
}

std::optional<size_t> branch_target(std::span<const uint8_t> code, size_t instruction) {
  const MachineCode branch = code_at(code, instruction);
  if ((branch.low & kBranchOpcodeBits) != kBranch) return std::nullopt;
  const int64_t target = static_cast<int64_t>(instruction) + 1 + branch_distance(branch);
  if (target < 0 || target >= static_cast<int64_t>(instruction_count(code))) return std::nullopt;
  return static_cast<size_t>(target);
}

}  // namespace tilescope::analysis
