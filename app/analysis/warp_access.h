#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/access_rules.h"
#include "analysis/load_merge.h"
#include "trace/trace.h"

namespace tilescope::analysis {

/// A warp's access to one state space as executed by the hardware: if ptxas makes one access of several instructions,
/// that one.
struct WarpAccess {
  trace::AccessKind kind = trace::AccessKind::Load;
  Space space = Space::None;
  uint32_t bytes = 0;  ///< Per lane.
  uint32_t active = 0;
  std::array<uint64_t, trace::kLanes> addresses{};  ///< As in trace::Access; 0 for inactive lanes.
  uint32_t own_bytes = 0;   ///< Of them the part that the instruction names itself: a lane's bytes ...
  uint32_t own_offset = 0;  ///< ... and how far they lie behind the lane's address.
  bool is_matrix = false;   ///< As in trace::Access.
  uint32_t merged = 1;      ///< Instructions that ptxas issues as this access.

  bool is_load() const { return !trace::is_write(kind); }
  /// Of global memory: sector by sector.
  std::vector<SectorUse> sectors() const;
  /// Of shared memory: word by word.
  SharedPicture banks() const;
};

/// The merging by ptxas of the shared accesses in the trace of one block, found once.
class MergedAccesses {
 public:
  MergedAccesses() = default;
  MergedAccesses(const trace::Trace& trace, const MergePlan& plan);
  /// The access of a record of that trace, as executed by the hardware.
  WarpAccess access(const trace::Trace& trace, uint32_t record) const;

 private:
  /// A record that ptxas merges with others.
  struct Member {
    uint32_t record = 0;
    uint32_t group = 0;  ///< Index into groups_.
  };
  struct Group {
    uint32_t leader = 0;   ///< The record at which the merged access counts.
    uint32_t members = 0;  ///< Instructions.
    MergedAccess plan;
  };
  void find_groups(const trace::Trace& trace, const MergePlan& plan, uint32_t warp);

  std::vector<Member> members_;  ///< By record.
  std::vector<Group> groups_;
};

}  // namespace tilescope::analysis
