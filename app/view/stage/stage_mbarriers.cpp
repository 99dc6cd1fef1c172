#include "view/stage/stage_mbarriers.h"

#include "ptx/opcode_table.h"
#include "view/sync_words.h"

namespace tilescope::view {

std::vector<MbarrierUse> mbarrier_uses(const Focus& focus, const WarpPlaces& places) {
  const run::TracedBlock& scene = *focus.scene;
  std::vector<MbarrierUse> uses;
  for (uint32_t warp = 0; warp < scene.timeline.warps(); ++warp) {
    if (places.executed[warp] == 0 || places.executed[warp] == scene.timeline.steps(warp)) continue;
    analysis::StepRef at{warp, places.executed[warp] - 1};
    // A try_wait that has failed is followed by the branch back to it.
    if (at.step > 0 && ptx::class_of(scene.instruction(scene.timeline.pc(at)).op) == ptx::OpClass::Branch) --at.step;
    for (const uint64_t offset : mbarriers_at(scene, at))
      if (const run::TracedArray* array = scene.accesses.find(Space::Shared, offset))
        uses.push_back({array, array->index_of(offset), warp});
  }
  return uses;
}

bool holds_mbarriers(const run::TracedBlock& scene, const run::TracedArray& array) {
  if (array.allocation.space != Space::Shared || size_of(array.allocation.element) != 8) return false;
  for (uint64_t index = 0; index < array.rows * array.columns; ++index)
    if (scene.mbarriers.has(array.address_of(index))) return true;
  return false;
}

}  // namespace tilescope::view
