#include "run/machine_code.h"

#include <algorithm>

#include "sass/cubin.h"

namespace tilescope::run {

Result<MachineCode> machine_code(std::span<const uint8_t> cubin, std::string_view entry) {
  auto program = machine::Program::build(cubin, entry);
  if (!program) return program.errors();
  return MachineCode{*program, sass::source_lines(cubin, entry, (*program)->code().size())};
}

void address_functions(ptx::Module& module, std::span<const uint8_t> cubin) {
  for (const sass::FunctionAddress& known : sass::function_addresses(cubin)) {
    const auto found = std::ranges::find(module.functions, known.name, &ptx::Function::name);
    if (found != module.functions.end()) found->address = known.address;
  }
}

Result<MachineCode> machine_code(const Prepared& prepared) {
  const std::vector<uint8_t>& cubin = prepared.build->compiled.cubin;
  if (cubin.empty())
    return error("There is no machine code: NVRTC and nvcc make it, and it ships for sm_90 alone; clang makes none.");
  return machine_code(cubin, prepared.program().function().name);
}

std::optional<uint64_t> spill_bytes(const MachineCode& code, const ptx::Function& function) {
  constexpr uint8_t kBytes[] = {1, 1, 2, 2, 4, 8, 16};  // By Field::Size.
  uint64_t bytes = 0;
  for (const sass::Instruction& in : code.program->code())
    if (in.opcode == sass::Opcode::LDL || in.opcode == sass::Opcode::STL) bytes += kBytes[in[sass::Field::Size]];
  const auto is_local = [](const ptx::Variable& variable) { return variable.space == Space::Local; };
  const bool has_variables = std::any_of(function.variables.begin(), function.variables.end(), is_local);
  return bytes > 0 && has_variables ? std::nullopt : std::optional(bytes);
}

}  // namespace tilescope::run
