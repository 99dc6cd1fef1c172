#pragma once

#include <cstdint>

#include "analysis/finding.h"
#include "trace/event.h"

namespace tilescope::analysis {

/// The blocks of a cluster as one block with the threads and the shared memory of all: a checker that sees their events
/// through in_team() need not know of blocks. A block outside of clusters is its own team.
class Team {
 public:
  /// Bytes from the shared memory of a block to that of the next; no block has more.
  static constexpr uint64_t kWindow = uint64_t{1} << 18;

  explicit Team(const LaunchFacts& facts)
      : facts_(facts), blocks_(static_cast<uint32_t>(facts.cluster.count())), warps_((facts.warps() + 3) / 4 * 4) {}

  /// A block begins: true where its team does.
  bool enter(uint32_t block);
  /// The cluster's number in the grid.
  uint32_t number() const { return number_; }
  uint32_t blocks() const { return blocks_; }
  /// Of all blocks, four of a warpgroup side by side.
  uint32_t warps() const { return blocks_ * warps_; }
  uint32_t threads() const { return warps() * trace::kLanes; }
  uint32_t warps_of_block() const { return warps_; }
  uint32_t rank_of(uint32_t block) const { return blocks_ == 1 ? 0 : facts_.clusters().rank_of(block); }

  /// With the warp's number in the team.
  trace::Step in_team(trace::Step at) const;
  /// And with addresses of shared memory in the team's; valid until the next call.
  const trace::Access& in_team(const trace::Access& access);
  /// A shared address of a block, its own or another's.
  uint64_t in_team(uint32_t block, uint64_t address) const;
  /// That of a place in the memory of a block of the cluster, by its rank.
  static uint64_t place(uint32_t rank, uint64_t offset) { return rank * kWindow + offset; }

  uint32_t rank_of_warp(uint32_t warp) const { return warp / warps_; }
  static uint32_t rank_of_place(uint64_t address) { return static_cast<uint32_t>(address / kWindow); }
  /// The site of a warp of the team, or of the one with that number, at `pc`.
  Site site_at(uint32_t pc, uint32_t number, uint32_t warp, uint32_t lane) const;
  /// Names the target of a shared address of the team in a finding with known sites: the array, the element, and the
  /// block whose memory it is, if not the sites'.
  void name_place(Finding& finding, uint64_t address) const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  const LaunchFacts& facts_;
  uint32_t blocks_, warps_;
  uint32_t number_ = kNone;
  trace::Access access_;
  uint64_t addresses_[trace::kLanes] = {};
};

}  // namespace tilescope::analysis
