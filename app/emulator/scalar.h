#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ptx/module.h"

/// One lane at a time: operations too rare or too varied for vector loops.
namespace tilescope::emulator {

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

/// A lane of a row with `lane_size` bytes per lane; the low 8 of 16.
inline uint64_t read_lane(const std::byte* row, uint32_t lane_size, uint32_t lane) {
  uint64_t value = 0;
  std::memcpy(&value, row + lane * lane_size, lane_size < 8 ? lane_size : 8);
  return value;
}
inline void write_lane(std::byte* row, uint32_t lane_size, uint32_t lane, uint64_t value) {
  std::memcpy(row + lane * lane_size, &value, lane_size < 8 ? lane_size : 8);
}
/// All of a lane, up to 16 bytes.
inline void write_row_lane(std::byte* row, uint32_t lane_size, uint32_t lane, Wide value) {
  std::memcpy(row + lane * lane_size, &value, lane_size);
}

/// `size` bytes (1 to 16) from memory, extended by sign or with zeros.
Wide read_memory(const std::byte* host, uint32_t size, bool sign_extend);

/// What atom/red writes to memory of `space` that held `old`; `c` is what cas writes. Bits in the low end.
Wide atomic_result(const ptx::Instruction& instruction, Space space, Wide old, Wide b, Wide c);

/// cvt: the bits of `source` (of the instruction's source type, in the low end) as the instruction's type; `second` is
/// the second source of a packed conversion. Integers come back extended to 64 bits by their sign.
uint64_t convert(const ptx::Instruction& instruction, uint64_t source, uint64_t second);

}  // namespace tilescope::emulator
