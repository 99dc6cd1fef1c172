#include "run/stage_copies.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "analysis/copies_in_flight.h"

namespace tilescope::run {
namespace {
using analysis::CopiesInFlight;

TracedArray* staged_array_at(std::vector<TracedArray>& arrays, uint64_t address) {
  for (TracedArray& array : arrays)
    if (array.allocation.space == Space::Shared && array.allocation.contains(address))
      return array.allocation.shape.size() < 3 ? nullptr : &array;
  return nullptr;
}

/// When a warp's copies of a slot end: with the copies of the warp that began last before it.
std::optional<uint32_t> end_of(const std::vector<CopiesInFlight>& copies, uint32_t warp, uint32_t slot,
                               uint32_t barrier) {
  const CopiesInFlight* latest = nullptr;
  for (const CopiesInFlight& each : copies)
    if (each.warp == warp && each.first_slot <= slot &&
        (barrier == trace::BulkCopy::kNoBarrier || each.barrier == barrier) &&
        (!latest || each.first_slot > latest->first_slot))
      latest = &each;
  return latest ? std::optional(latest->end_slot) : std::nullopt;
}

/// Merged with earlier copies of the same stage if both are in flight at the same time.
void add(std::vector<StageCopy>& all, const StageCopy& copy) {
  for (StageCopy& known : all)
    if (known.stage == copy.stage && known.first_slot < copy.end_slot && copy.first_slot < known.end_slot) {
      known.first_slot = std::min(known.first_slot, copy.first_slot);
      known.end_slot = std::max(known.end_slot, copy.end_slot);
      return;
    }
  all.push_back(copy);
}

}  // namespace

void find_stage_copies(const ptx::Function& function, const trace::Trace& trace, const analysis::Timeline& timeline,
                       std::vector<TracedArray>& arrays) {
  std::vector<std::vector<CopiesInFlight>> copies(timeline.warps());
  for (const CopiesInFlight& each : analysis::copies_in_flight(function, trace, timeline))
    copies[each.warp].push_back(each);
  const auto note = [&](uint64_t address, const analysis::StepRef& at, uint32_t barrier) {
    TracedArray* array = staged_array_at(arrays, address);
    if (!array) return;
    const uint32_t slot = timeline.slot(at);
    const auto stage = static_cast<uint32_t>(array->allocation.bytes_before(address) / array->allocation.part_bytes());
    const std::vector<StageCopy>& known = array->stage_copies;
    const bool again = !known.empty() && known.back().stage == stage && known.back().first_slot <= slot &&
                       slot < known.back().end_slot;
    if (again) return;
    if (const auto end = end_of(copies[at.warp], at.warp, slot, barrier)) add(array->stage_copies, {stage, slot, *end});
  };
  for (uint32_t warp = 0; warp < timeline.warps(); ++warp)
    for (const uint32_t record : trace.warp_records(0, warp)) {
      if (trace.kind(record) != trace::RecordKind::Access || trace.active(record) == 0 ||
          trace.access_kind(record) != trace::AccessKind::AsyncCopyWrite)
        continue;
      uint64_t addresses[trace::kLanes];
      trace.addresses(record, addresses);
      note(addresses[std::countr_zero(trace.active(record))], {warp, trace.step(record).warp_step},
           trace::BulkCopy::kNoBarrier);
    }
  for (const trace::BulkRecord& copy : trace.bulk_copies())
    if (copy.to_shared && !copy.pieces.empty())
      note(copy.pieces.front().shared, {copy.at.warp, copy.at.warp_step}, copy.barrier);
}

}  // namespace tilescope::run
