#include "run/machine_code.h"

namespace tilescope::run {

Result<MachineCode> machine_code(std::span<const uint8_t> cubin, std::string_view entry) {
  auto program = machine::Program::build(cubin, entry);
  if (!program) return program.errors();
  return MachineCode{*program, sass::source_lines(cubin, entry, (*program)->code().size())};
}

Result<MachineCode> machine_code(const Prepared& prepared) {
  const std::vector<uint8_t>& cubin = prepared.build->compiled.cubin;
  if (cubin.empty())
    return error("There is no machine code: NVRTC and nvcc make it, and it ships for sm_90 alone; clang makes none.");
  return machine_code(cubin, prepared.program().function().name);
}

}  // namespace tilescope::run
