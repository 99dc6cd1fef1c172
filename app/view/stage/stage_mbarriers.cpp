#include "view/stage/stage_mbarriers.h"

#include <algorithm>

#include "ptx/opcode_table.h"
#include "view/picture.h"
#include "view/sync_words.h"

namespace tilescope::view {

std::vector<MbarrierUse> mbarrier_uses(const Focus& focus, const WarpPlaces& places) {
  const run::TracedBlock& traced = *focus.traced;
  std::vector<MbarrierUse> uses;
  for (uint32_t warp = 0; warp < traced.timeline.warps(); ++warp) {
    if (places.executed[warp] == 0 || places.executed[warp] == traced.timeline.steps(warp)) continue;
    analysis::StepRef at{warp, places.executed[warp] - 1};
    // A try_wait that has failed is followed by the branch back to it.
    if (at.step > 0 && ptx::class_of(traced.instruction(traced.timeline.pc(at)).op) == ptx::OpClass::Branch) --at.step;
    for (const uint64_t offset : mbarriers_at(traced, at))
      if (const run::TracedArray* array = traced.accesses.find(Space::Shared, offset))
        uses.push_back({array, array->index_of(offset), warp});
  }
  return uses;
}

MbarrierLines lines_of_mbarrier(float box_height, float text) {
  constexpr float kAround = 1, kLineOfText = 1.12f;
  const float size = std::max(kLeastWords, text * 0.7f), height = size * kLineOfText;
  const auto rows = static_cast<size_t>(std::max(0.0f, box_height - 2 * kAround) / height);
  return {rows == 0 && box_height >= size + kAround ? 1 : rows, size, height};
}

bool holds_mbarriers(const run::TracedBlock& traced, const run::TracedArray& array) {
  if (array.allocation.space != Space::Shared || size_of(array.allocation.element) != 8) return false;
  for (uint64_t index = 0; index < array.rows * array.columns; ++index)
    if (traced.mbarriers.has(array.address_of(index))) return true;
  return false;
}

}  // namespace tilescope::view
