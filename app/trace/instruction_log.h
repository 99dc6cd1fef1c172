#pragma once

#include <cstdint>
#include <vector>

#include "trace/observer.h"

namespace tilescope::trace {

/// Instructions that one warp issued in succession at ascending pcs with the same lanes.
struct StraightLine {
  uint32_t first_step = 0;  ///< The warp_step of its first instruction.
  uint32_t count = 0;
  uint32_t pc = 0;      ///< Of its first instruction.
  uint32_t active = 0;  ///< Lanes; guard predicates are not applied.
  bool operator==(const StraightLine&) const = default;
};

/// Every warp instruction of one block, including those without a record in the trace. The lines of a warp follow one
/// another without a gap from step 0 on.
class InstructionLog final : public Observer {
 public:
  void straight_line(const Step& first, uint32_t count) override;

  /// By number of the warp in its block; those that issued nothing are empty or missing.
  const std::vector<std::vector<StraightLine>>& warps() const { return warps_; }
  /// Instructions that the warp issued.
  uint32_t steps(uint32_t warp) const;
  /// The line that holds the warp's instruction number `step`, which must be below steps(warp).
  const StraightLine& line_at(uint32_t warp, uint32_t step) const;

 private:
  std::vector<std::vector<StraightLine>> warps_;
};

}  // namespace tilescope::trace
