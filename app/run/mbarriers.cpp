#include "run/mbarriers.h"

#include <algorithm>
#include <bit>

namespace tilescope::run {
namespace {
using ptx::Op;

/// One warp instruction at one object.
struct MbarrierEvent {
  uint32_t slot = 0;
  const ptx::Instruction* instruction = nullptr;
  trace::Sync sync;
};

void begin_phase(MbarrierState& state) {
  ++state.phase;
  state.pending = state.expected;
  state.promised = 0;
  state.bytes = 0;
}

void take_arrivals(MbarrierState& state, uint32_t count) {
  state.pending -= std::min(count, state.pending);
  if (state.pending == 0 && state.bytes == 0) begin_phase(state);
}

void apply(const MbarrierEvent& event, MbarrierState& state, Mbarriers::Uses& uses) {
  const ptx::Instruction& instruction = *event.instruction;
  const uint32_t amount = event.sync.amount, lanes = static_cast<uint32_t>(std::popcount(event.sync.at.active));
  const auto expect = [&] {
    state.bytes += amount;
    uses.bytes += amount;
  };
  switch (instruction.op) {
    case Op::MbarrierInit: state = {true, 0, amount, amount}; return;
    case Op::MbarrierInval: state = {}; return;
    case Op::MbarrierExpectTx: return expect();
    case Op::MbarrierCompleteTx: state.bytes -= amount; return take_arrivals(state, 0);
    case Op::MbarrierArrive:
    case Op::MbarrierArriveDrop: {
      const uint32_t count = instruction.expect_tx ? lanes : amount;
      if (instruction.expect_tx) expect();
      if (instruction.op == Op::MbarrierArriveDrop) state.expected -= std::min(count, state.expected);
      uses.arrivals += count;
      return take_arrivals(state, count);
    }
    case Op::CpAsyncMbarrierArrive:
      if (!instruction.no_inc) state.pending += lanes;
      state.promised += lanes;
      uses.arrivals += lanes;
      return;
    default:
      if (event.sync.kind != trace::SyncKind::MbarrierWait) return;
      ++uses.waits;
      if (state.phase % 2 == amount % 2) begin_phase(state);
  }
}

}  // namespace

Mbarriers::Mbarriers(const ptx::Function& function, const trace::Trace& trace, const analysis::Timeline& timeline) {
  std::map<uint64_t, std::vector<MbarrierEvent>> events;
  for (size_t record = 0; record < trace.size(); ++record) {
    if (trace.kind(record) != trace::RecordKind::Sync) continue;
    const trace::Sync sync = trace.sync(record);
    const bool uses_one = sync.kind == trace::SyncKind::MbarrierArrive || sync.kind == trace::SyncKind::MbarrierWait ||
                          sync.kind == trace::SyncKind::MbarrierTry;
    if (!uses_one) continue;
    const uint32_t slot = timeline.slot({sync.at.warp, sync.at.warp_step});
    events[sync.id].push_back({slot, &function.instructions[sync.at.pc], sync});
  }
  for (auto& [offset, of_object] : events) {
    std::ranges::stable_sort(of_object, {}, &MbarrierEvent::slot);
    Object& object = objects_[offset];
    MbarrierState state;
    for (const MbarrierEvent& event : of_object) {
      apply(event, state, object.uses);
      object.moments.push_back({event.slot, state});
    }
  }
}

MbarrierState Mbarriers::at(uint64_t offset, uint32_t slot) const {
  const auto found = objects_.find(offset);
  if (found == objects_.end()) return {};
  const std::vector<Moment>& moments = found->second.moments;
  const auto after = std::ranges::upper_bound(moments, slot, {}, &Moment::slot);
  return after == moments.begin() ? MbarrierState{} : std::prev(after)->state;
}

int64_t Mbarriers::awaited(uint64_t offset, uint32_t slot, uint32_t parity) const {
  const int64_t phase = at(offset, slot).phase;
  return phase % 2 == parity % 2 ? phase : phase - 1;
}

Mbarriers::Uses Mbarriers::uses(uint64_t offset) const {
  const auto found = objects_.find(offset);
  return found == objects_.end() ? Uses{} : found->second.uses;
}

}  // namespace tilescope::run
