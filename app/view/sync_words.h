#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/traced_block.h"

namespace tilescope::view {

/// Whether the record is of an instruction at an mbarrier; its `id` is then the object's shared offset.
bool is_at_mbarrier(const trace::Sync& sync);

/// The mbarriers that the instruction has to do with, by shared offset, ascending: those that it initialises, arrives
/// at or waits for, and those that count the bytes of a bulk copy which it starts.
std::vector<uint64_t> mbarriers_at(const run::TracedBlock& scene, const analysis::StepRef& at);

/// "129 arrivals and 16 384 bytes": what the current phase lacks.
std::string missing_text(const run::MbarrierState& state);

/// What is to be said of a record of that kind. `mbarrier`: "full[0]", the name of the object of one at an mbarrier.
std::string sync_sentence(const run::TracedBlock& scene, const trace::Sync& sync, const std::string& mbarrier);

/// The warps that ever come to the barrier of the block, ascending.
std::vector<uint32_t> warps_at_barrier(const run::TracedBlock& scene, uint32_t barrier);

}  // namespace tilescope::view
