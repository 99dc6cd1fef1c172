#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "sass/instruction.h"

namespace tilescope::sass {

/// Decodes the instruction in the first 16 bytes. An error names what is not known: the opcode's bits, a modifier's, or
/// bits that no operand accounts for; an instruction that is not understood whole is not decoded at all.
/// `offset`: of the instruction from the kernel's start, in bytes. `architecture`: 90 for sm_90.
Result<Instruction> decode(std::span<const uint8_t> bytes, uint32_t offset, uint32_t architecture);

/// All instructions of a kernel. The error names the first that is not known.
Result<std::vector<Instruction>> decode_kernel(std::span<const uint8_t> code, uint32_t architecture);

/// As the toolkit's cuobjdump -sass prints it, without the semicolon: "@!P0 FFMA R3, R4.reuse, R5, -R6".
std::string to_string(const Instruction& instruction);

}  // namespace tilescope::sass
