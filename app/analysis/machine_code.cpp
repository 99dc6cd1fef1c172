#include "analysis/machine_code.h"

#include "analysis/cubin.h"
#include "sass/cubin.h"

namespace tilescope::analysis {
namespace {

// Bits 73 to 75 of a memory instruction.
constexpr uint64_t kWidth64 = 5, kWidth128 = 6;

}  // namespace

std::optional<MachineLoads> read_machine_loads(std::span<const uint8_t> cubin, std::string_view entry) {
  const std::span<const uint8_t> text = sass::kernel_code(cubin, entry);
  if (text.empty()) return std::nullopt;
  MachineLoads loads;
  for (size_t i = 0; i < instruction_count(text); ++i) {
    const MachineCode code = code_at(text, i);
    const uint64_t opcode = code.low & kMachineOpcode, width = code.high >> 9 & 7;
    loads.fmas += opcode == kMachineFfma;
    if (opcode == kMachineLds) ++loads.shared_loads[width == kWidth128 ? 2 : width == kWidth64 ? 1 : 0];
  }
  return loads;
}

}  // namespace tilescope::analysis
