#pragma once

#include <cstdint>
#include <vector>

#include "base/memory.h"
#include "ptx/module.h"

namespace tilescope::analysis {

/// Scalar loads that ptxas issues as one wide load.
struct MergedLoad {
  uint32_t leader = 0;              ///< pc of the first of them in program order, which is where the wide load counts.
  std::vector<uint32_t> followers;  ///< pcs of the others, ascending; they count nothing.
  int32_t offset = 0;               ///< Address of the wide load less that of the leader: 0 or negative.
  uint8_t bytes = 0;                ///< Bytes a lane of the wide load: 8 or 16.
};

/// The loads of a kernel that differ between its PTX and what ptxas makes of it.
struct MergePlan {
  std::vector<MergedLoad> loads;  ///< By leader.

  /// For each pc: -1 when it runs as written, kFollower, else an index into `loads`.
  std::vector<int32_t> role;
  static constexpr int32_t kAsWritten = -1;
  static constexpr int32_t kFollower = -2;
};

/// The merges that ptxas does in `function`, a flat function of `module` (see ptx::flatten). `shared_arrays` are the
/// __shared__ arrays with their offsets in the block's window, as the emulator places them.
MergePlan plan_load_merge(const ptx::Module& module, const ptx::Function& function,
                          const std::vector<Allocation>& shared_arrays);

}  // namespace tilescope::analysis
