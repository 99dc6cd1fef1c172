#include "view/stage/stages_now.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

namespace tilescope::view {
namespace {
using run::TracedArray;
using run::TracedBlock;

constexpr uint32_t kLookBack = 256;  // Instructions: more than between two reads of a main loop.

uint32_t stage_at(const TracedArray& array, uint64_t address) {
  return static_cast<uint32_t>(array.allocation.bytes_before(address) / array.allocation.part_bytes());
}

/// Where an instruction begins to read the array; nullopt if it does not.
std::optional<uint64_t> read_by(const TracedBlock& traced, const analysis::StepRef& at, const TracedArray& array) {
  if (const trace::ProductRecord* product = traced.timeline.product_read(at))
    for (const trace::ProductRead::Piece& piece : product->pieces)
      if (array.allocation.contains(piece.shared)) return piece.shared;
  const std::optional<uint32_t> record = traced.timeline.access(at);
  if (!record || traced.trace.space(*record) != Space::Shared || traced.trace.active(*record) == 0 ||
      trace::is_write(traced.trace.access_kind(*record)))
    return std::nullopt;
  uint64_t addresses[trace::kLanes];
  traced.trace.addresses(*record, addresses);
  const uint64_t first = addresses[std::countr_zero(traced.trace.active(*record))];
  return array.allocation.contains(first) ? std::optional(first) : std::nullopt;
}

/// The stage that the warp last read while computing.
std::optional<uint32_t> stage_read(const TracedBlock& traced, uint32_t warp, uint32_t executed,
                                   const TracedArray& array) {
  if (executed == 0) return std::nullopt;
  const analysis::Phase& phase = traced.timeline.phase({warp, executed - 1});
  if (phase.kind != analysis::PhaseKind::Compute) return std::nullopt;
  const uint32_t first = std::max(phase.begin, executed - std::min(executed, kLookBack));
  for (uint32_t step = executed; step-- > first;)
    if (const auto address = read_by(traced, {warp, step}, array)) return stage_at(array, *address);
  return std::nullopt;
}

}  // namespace

StagesNow stages_now(const Focus& focus, const WarpPlaces& places, const TracedArray& array) {
  StagesNow result;
  if (array.stage_copies.empty()) return result;
  const TracedBlock& traced = *focus.traced;
  const uint32_t now = traced.timeline.slot(focus.cursor);
  for (uint32_t stage = 0; stage < array.allocation.shape.front(); ++stage) {
    const run::StageCopy* latest = nullptr;
    for (const run::StageCopy& copy : array.stage_copies)
      if (copy.stage == stage && copy.first_slot <= now && (!latest || copy.first_slot > latest->first_slot))
        latest = &copy;
    if (latest) (latest->end_slot > now ? result.on_the_way : result.arrived).push_back(stage);
  }
  std::set<uint32_t> read;
  for (uint32_t warp = 0; warp < traced.timeline.warps(); ++warp)
    if (const auto stage = stage_read(traced, warp, places.executed[warp], array)) read.insert(*stage);
  result.read.assign(read.begin(), read.end());
  return result;
}

run::Region region_of_stage(const TracedArray& array, uint32_t stage) {
  const uint64_t part = array.allocation.part_bytes(), pitch = std::max(array.allocation.pitch, part),
                 begin = array.allocation.base + stage * pitch;
  run::Region region;
  for (const uint64_t address : {begin, begin + part - 1}) {
    const uint64_t index = array.index_of(address);
    region.add(index / array.columns, index % array.columns);
  }
  return region;
}

}  // namespace tilescope::view
