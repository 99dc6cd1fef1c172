#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/traced_block.h"

namespace tilescope::view {

/// Whether the record is of an instruction at an mbarrier; its `id` is then the object's shared offset.
bool is_at_mbarrier(const trace::Sync& sync);

/// The mbarriers of the instruction, by shared offset, ascending: those that it initialises, arrives at or waits for,
/// and those that count the bytes of a bulk copy that it starts.
std::vector<uint64_t> mbarriers_at(const run::TracedBlock& traced, const analysis::StepRef& at);

/// "129 arrivals and 16 384 bytes": missing in the current phase.
std::string missing_text(const run::MbarrierState& state);

/// The words for a record of that kind. `mbarrier`: "full[0]", the name of the object, if it is at an mbarrier.
std::string sync_sentence(const run::TracedBlock& traced, const trace::Sync& sync, const std::string& mbarrier);

/// The warps that ever come to the barrier of the block, ascending.
std::vector<uint32_t> warps_at_barrier(const run::TracedBlock& traced, uint32_t barrier);

}  // namespace tilescope::view
