#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tilescope::sass {
struct Instruction;
}

/// A kernel's machine code as ptxas wrote it. It is read here, not executed.
namespace tilescope::analysis {

/// The instructions of the kernel of that name in a cubin; empty if there is none. One that app/sass does not know
/// becomes a NOP.
std::vector<sass::Instruction> read_machine_code(std::span<const uint8_t> cubin, std::string_view entry);
/// The same of some code by itself. `architecture`: 90 for sm_90.
std::vector<sass::Instruction> decode_machine_code(std::span<const uint8_t> code, uint32_t architecture);

enum class MachineKind : uint8_t {
  Fma,
  DoubleFma,
  GlobalLoad,
  GlobalStore,
  SharedLoad,
  SharedStore,
  AsyncCopy,
  LocalLoad,
  LocalStore,
  Barrier,
  Other
};
MachineKind kind_of(const sass::Instruction& instruction);

/// LDS of at most 4, of 8 and of 16 bytes per lane.
std::array<uint32_t, 3> count_shared_loads(std::span<const sass::Instruction> code);

/// Whether it branches back, to an instruction before it.
bool branches_back(const sass::Instruction& instruction);

}  // namespace tilescope::analysis
