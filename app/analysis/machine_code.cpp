#include "analysis/machine_code.h"

#include <cstring>

#include "analysis/cubin.h"

namespace tilescope::analysis {
namespace {

/// An opcode's low nine bits, and the bits 73 to 75 of a memory instruction: found by assembling PTX of known meaning
/// with CUDA 13.0's ptxas; tests/sass has the others.
constexpr uint64_t kOpcodeBits = 0x1ff, kFfma = 0x023, kLds = 0x184;
constexpr uint64_t kWidth64 = 5, kWidth128 = 6;

uint64_t word_at(std::span<const uint8_t> code, size_t at) {
  uint64_t word = 0;
  std::memcpy(&word, code.data() + at, sizeof word);
  return word;
}

}  // namespace

std::optional<MachineLoads> read_machine_loads(std::span<const uint8_t> cubin, std::string_view entry) {
  const std::span<const uint8_t> text = kernel_code(cubin, entry);
  if (text.empty()) return std::nullopt;
  MachineLoads loads;
  for (size_t at = 0; at + kMachineInstructionBytes <= text.size(); at += kMachineInstructionBytes) {
    const uint64_t opcode = word_at(text, at) & kOpcodeBits;
    const uint64_t width = word_at(text, at + sizeof(uint64_t)) >> 9 & 7;
    loads.fmas += opcode == kFfma;
    if (opcode == kLds) ++loads.shared_loads[width == kWidth128 ? 2 : width == kWidth64 ? 1 : 0];
  }
  return loads;
}

}  // namespace tilescope::analysis
