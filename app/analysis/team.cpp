#include "analysis/team.h"

namespace tilescope::analysis {
namespace {

constexpr uint64_t kOffsetMask = (uint64_t{1} << trace::kRankShift) - 1;

}  // namespace

bool Team::enter(uint32_t block) {
  const auto number = static_cast<uint32_t>(blocks_ == 1 ? block : facts_.clusters().number_of(block));
  const bool is_mate = blocks_ > 1 && number == number_;
  number_ = number;
  return !is_mate;
}

trace::Step Team::in_team(trace::Step at) const {
  at.warp = static_cast<uint16_t>(at.warp + rank_of(at.block) * warps_);
  return at;
}

const trace::Access& Team::in_team(const trace::Access& access) {
  if (blocks_ == 1) return access;
  access_ = access;
  access_.at = in_team(access.at);
  if (access.space != Space::Shared) return access_;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
    if (access.at.active >> lane & 1) addresses_[lane] = in_team(access.at.block, access.addresses[lane]);
  access_.addresses = addresses_;
  return access_;
}

uint64_t Team::in_team(uint32_t block, uint64_t address) const {
  const uint64_t tag = address >> trace::kRankShift;
  return place(tag == 0 ? rank_of(block) : static_cast<uint32_t>(tag - 1), address & kOffsetMask);
}

Site Team::site_at(uint32_t pc, uint32_t number, uint32_t warp, uint32_t lane) const {
  const uint32_t block = blocks_ == 1 ? number : facts_.clusters().block_in(number, rank_of_warp(warp));
  return facts_.site_at(pc, block, warp % warps_, lane);
}

void Team::name_place(Finding& finding, uint64_t address) const {
  finding.address = address % kWindow;
  facts_.name_place(finding);
  if (blocks_ == 1) return;
  const uint32_t owner = facts_.clusters().block_in(number_, rank_of_place(address));
  const bool is_theirs = finding.site.thread.block == owner && (!finding.other || finding.other->thread.block == owner);
  if (!is_theirs) finding.owner = position_in(facts_.grid, owner);
}

}  // namespace tilescope::analysis
