#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tilescope::analysis {

constexpr size_t kMachineInstructionBytes = 16;  ///< From sm_70 on.

// An opcode's low nine bits are the operation, the next three say which operand is a register, an immediate or a
// constant. Found by assembling PTX of known meaning with CUDA 13.0's ptxas; tests/sass has others.
constexpr uint64_t kMachineOpcode = 0x1ff, kMachineFfma = 0x023, kMachineLds = 0x184;

/// The 128 bits of an instruction.
struct MachineCode {
  uint64_t low = 0, high = 0;
};

/// Whole instructions in some machine code.
size_t instruction_count(std::span<const uint8_t> code);
/// The instruction of that number, from 0; there must be as many.
MachineCode code_at(std::span<const uint8_t> code, size_t instruction);
/// The number of the target of the branch of that number; nullopt if it is not a branch or leaves the
/// code.
std::optional<size_t> branch_target(std::span<const uint8_t> code, size_t instruction);

}  // namespace tilescope::analysis
