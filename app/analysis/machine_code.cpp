#include "analysis/machine_code.h"

#include "sass/cubin.h"
#include "sass/decode.h"

namespace tilescope::analysis {

using sass::Opcode;

std::vector<sass::Instruction> decode_machine_code(std::span<const uint8_t> code, uint32_t architecture) {
  std::vector<sass::Instruction> instructions(code.size() / sass::kInstructionBytes);
  for (size_t i = 0; i < instructions.size(); ++i) {
    const auto offset = static_cast<uint32_t>(i * sass::kInstructionBytes);
    if (Result<sass::Instruction> known = sass::decode(code.subspan(offset), offset, architecture))
      instructions[i] = *known;
    instructions[i].offset = offset;
  }
  return instructions;
}

std::vector<sass::Instruction> read_machine_code(std::span<const uint8_t> cubin, std::string_view entry) {
  return decode_machine_code(sass::kernel_code(cubin, entry), sass::architecture_of(cubin));
}

MachineKind kind_of(const sass::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::FFMA: return MachineKind::Fma;
    case Opcode::DFMA: return MachineKind::DoubleFma;
    case Opcode::LDG: return MachineKind::GlobalLoad;
    case Opcode::STG: return MachineKind::GlobalStore;
    case Opcode::LDS: return MachineKind::SharedLoad;
    case Opcode::STS: return MachineKind::SharedStore;
    case Opcode::LDGSTS: return MachineKind::AsyncCopy;
    case Opcode::LDL: return MachineKind::LocalLoad;
    case Opcode::STL: return MachineKind::LocalStore;
    case Opcode::BAR: return MachineKind::Barrier;
    default: return MachineKind::Other;
  }
}

std::array<uint32_t, 3> count_shared_loads(std::span<const sass::Instruction> code) {
  constexpr uint8_t kSize64 = 5, kSize128 = 6;
  std::array<uint32_t, 3> loads{};
  for (const sass::Instruction& each : code) {
    const uint8_t size = each[sass::Field::Size];
    if (each.opcode == Opcode::LDS) ++loads[size == kSize128 ? 2 : size == kSize64 ? 1 : 0];
  }
  return loads;
}

bool branches_back(const sass::Instruction& instruction) {
  return instruction.opcode == Opcode::BRA && instruction.target < instruction.offset;
}

}  // namespace tilescope::analysis
