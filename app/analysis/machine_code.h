#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

/// Facts of ptxas's code for a kernel, as needed by load merging.
namespace tilescope::analysis {

/// Machine instructions of a kernel, each counted once however often it runs.
struct MachineLoads {
  uint32_t fmas = 0;                          ///< FFMA
  std::array<uint32_t, 3> shared_loads = {};  ///< LDS of at most 4, of 8 and of 16 bytes per lane.
};

/// Of the kernel of that name in a cubin for sm_70 to sm_90. Nullopt if there is none.
std::optional<MachineLoads> read_machine_loads(std::span<const uint8_t> cubin, std::string_view entry);

}  // namespace tilescope::analysis
