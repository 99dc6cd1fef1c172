#pragma once

#include "machine/warp.h"

/// What the handlers of memory, of exchanges between lanes and of tensor cores share.
namespace tilescope::machine {

/// Begins an access of the running step.
Access& new_access(Warp& warp, Space space, AccessKind kind, uint32_t bytes, uint32_t lanes);
/// [R + UR + offset] of every lane. Of global memory 64 bits; else 32.
void read_addresses(const Warp& warp, const Step& step, const sass::Address& address, Space space, uint64_t* to);
/// Says of an access by generic addresses which memory it was, by its first lane.
void name_space(const Warp& warp, Access& access);
/// `bytes` bytes of one lane, a power of two; null after a fault has been recorded.
std::byte* memory_of(Warp& warp, Space space, uint32_t lane, uint64_t address, uint32_t bytes);

/// The row of a register, or of one behind it that a wide operand goes on in.
inline uint32_t register_row(const Program::Impl& program, uint8_t index, uint32_t word) {
  return index == sass::kZeroRegister ? program.zero_row() : index + word;
}

/// Memory behind a generic address that is in the kernel's parameters or global; null where there is none.
const std::byte* constant_or_global(Warp& warp, uint64_t address, uint32_t bytes);

// Null where the opcode has no handler there.
Handler select_conversion(const Step& step);
Handler select_exchange(const Step& step);
Handler select_tensor(const Step& step);
Handler select_async(const Step& step);

}  // namespace tilescope::machine
