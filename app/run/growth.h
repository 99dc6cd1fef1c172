#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "predict/predict.h"
#include "run/grid_run.h"
#include "run/prepare.h"

namespace tilescope::run {

/// How one block's count grows with K: a straight line through its values at two short K. Exact where all steps over k
/// do the same.
struct Growth {
  double at_short = 0, at_longer = 0;
  /// At the K requested from growth_in_k().
  double at(int64_t k) const;
  /// The K at which the count is `value`; 1e18 if it does not grow.
  double k_at(double value) const;
};

/// Of block (0, 0).
struct BlockGrowth {
  Growth warp_instructions, records;  ///< Of its trace.
  Growth fmas, shared_wavefronts, l1_wavefronts, l1_lines, sectors_read, sectors_written;
  std::array<Growth, arch::kTensorTypes> tensor_fmas;  ///< By arch::TensorType.
  std::vector<Growth> counters;                        ///< By hardware_counters(); zero where nothing is counted.
  std::optional<predict::Demand> demand_at_short, demand_at_longer;
  /// Of a launch of that many blocks; nullopt if the occupancy is unknown.
  std::optional<predict::Demand> demand_at(int64_t k, uint64_t blocks) const;
};

/// How much of the output the block is counted at: at most 512 x 512, or all of it, which takes more memory, where how
/// many tiles a block has follows from the whole matrix.
enum class Extent : uint8_t { Short, Whole };

/// Counts the block at both K, which are short ones that lie as K does between multiples of 128, and N likewise: so
/// rows begin in the same banks and at the same places of their lines. Errors: what keeps the kernel from being
/// launched at these sizes, and "Cancelled.".
Result<BlockGrowth> growth_in_k(const Prepared& prepared, compile::Compiler& compiler, const Control& control = {},
                                Extent extent = Extent::Short);

/// Whether the trace of one block would pass the control's step budget or the records that a trace holds; checked
/// before the slow run. Only a K from kLongK on is judged.
constexpr int64_t kLongK = 4096;

/// A power of two for K whose trace fits and is there soon, where the trace of prepared's would be too long; none where
/// it fits and where that cannot be told.
std::optional<int64_t> fitting_k(const Prepared& prepared, compile::Compiler& compiler, const Control& control);

}  // namespace tilescope::run
