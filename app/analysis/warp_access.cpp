#include "analysis/warp_access.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace tilescope::analysis {
namespace {

WarpAccess as_written(const trace::Trace& trace, uint32_t record) {
  WarpAccess access;
  access.kind = trace.access_kind(record);
  access.space = trace.space(record);
  access.bytes = access.own_bytes = trace.bytes(record);
  access.active = trace.active(record);
  access.is_matrix = trace.is_matrix(record);
  trace.addresses(record, access.addresses.data());
  return access;
}

bool takes_a_role(const trace::Trace& trace, uint32_t record) {
  return trace.kind(record) == trace::RecordKind::Access && trace.space(record) == Space::Shared &&
         !trace::is_atomic(trace.access_kind(record)) && trace.active(record) != 0;
}

}  // namespace

std::vector<SectorUse> WarpAccess::sectors() const { return global_sectors(addresses.data(), active, bytes); }

SharedPicture WarpAccess::banks() const {
  return shared_picture(addresses.data(), active, bytes, is_load() && !is_matrix);
}

MergedAccesses::MergedAccesses(const trace::Trace& trace, const MergePlan& plan) {
  if (plan.accesses.empty()) return;
  const uint64_t warps = (trace.header().block.count() + trace::kLanes - 1) / trace::kLanes;
  for (uint32_t warp = 0; warp < warps; ++warp) find_groups(trace, plan, warp);
  std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) { return a.record < b.record; });
}

void MergedAccesses::find_groups(const trace::Trace& trace, const MergePlan& plan, uint32_t warp) {
  MergeRoles roles(&plan);
  std::vector<std::optional<uint32_t>> latest(plan.accesses.size());  // Of each merged access its latest group.
  for (const uint32_t record : trace.warp_records(0, warp)) {
    if (!takes_a_role(trace, record)) continue;
    const MergeRole role = roles.next(trace.step(record));
    if (role.as_written()) continue;
    if (role.leads) {
      latest[role.access] = static_cast<uint32_t>(groups_.size());
      groups_.push_back({record, 0, plan.accesses[role.access]});
    }
    const std::optional<uint32_t> group = latest[role.access];
    if (!group || trace.active(groups_[*group].leader) != trace.active(record)) continue;
    ++groups_[*group].members;
    members_.push_back({record, *group});
  }
}

WarpAccess MergedAccesses::access(const trace::Trace& trace, uint32_t record) const {
  const WarpAccess own = as_written(trace, record);
  const auto here = std::lower_bound(members_.begin(), members_.end(), record,
                                     [](const Member& member, uint32_t wanted) { return member.record < wanted; });
  if (here == members_.end() || here->record != record) return own;
  const Group& group = groups_[here->group];
  WarpAccess access = as_written(trace, group.leader);
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
    if (access.active >> lane & 1) access.addresses[lane] += static_cast<uint64_t>(int64_t{group.plan.offset});
  const auto lowest = static_cast<size_t>(std::countr_zero(access.active));  // All lanes keep one distance.
  access.bytes = group.plan.bytes;
  access.own_bytes = own.bytes;
  access.own_offset = static_cast<uint32_t>(own.addresses[lowest] - access.addresses[lowest]);
  access.merged = group.members;
  return access;
}

}  // namespace tilescope::analysis
