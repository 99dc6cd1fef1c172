#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "machine/machine.h"
#include "run/prepare.h"
#include "sass/lines.h"

namespace tilescope::run {

/// A kernel's machine code, ready to run, and the lines of the source that its instructions come from, as far as the
/// cubin has them.
struct MachineCode {
  std::shared_ptr<const machine::Program> program;
  sass::LineTable sources;  ///< By pc; empty where the cubin says nothing.
};

/// Errors: no such kernel, an instruction that is not known or not executed, each by name and place.
Result<MachineCode> machine_code(std::span<const uint8_t> cubin, std::string_view entry);
/// Errors likewise, and where there is no cubin.
Result<MachineCode> machine_code(const Prepared& prepared);

/// Gives functions the addresses that the machine code has, which calls them by those that variables hold.
void address_functions(ptx::Module& module, std::span<const uint8_t> cubin);

/// What ptxas spilled, bytes of stores and loads together, per thread; nullopt where the PTX has local variables, whose
/// accesses look the same.
std::optional<uint64_t> spill_bytes(const MachineCode& code, const ptx::Function& function);

}  // namespace tilescope::run
