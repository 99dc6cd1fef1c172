#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "emulator/block.h"

namespace tilescope::emulator {
namespace {

using ptx::Op;
using trace::FaultKind;
using trace::SyncKind;

uint32_t first_lane_value(const Warp& warp, uint32_t row, uint32_t lanes) {
  return reinterpret_cast<const uint32_t*>(warp.file + row)[std::countr_zero(lanes)];
}

uint32_t live_threads(const Block& block) {
  uint32_t count = 0;
  for (const Warp& warp : block.warps) count += static_cast<uint32_t>(std::popcount(warp.live));
  return count;
}

uint32_t block_threads(const Block& block) { return static_cast<uint32_t>(block.launch.block.count()); }

bool is_aligned(const ptx::Instruction& i) {
  switch (i.op) {
    case Op::BarrierSync:
    case Op::BarrierCtaSync:
    case Op::BarrierArrive:
    case Op::BarrierCtaArrive:
    case Op::BarrierRed:
    case Op::BarrierCtaRed: return i.aligned;
    default: return true;
  }
}
bool is_reduction(const ptx::Instruction& i) {
  return i.op == Op::BarRed || i.op == Op::BarCtaRed || i.op == Op::BarrierRed || i.op == Op::BarrierCtaRed;
}

// The operand with the thread count; bar.red has a predicate after it.
bool has_thread_count(const ptx::Instruction& i) { return i.operands.size() == (is_reduction(i) ? 4u : 2u); }

void deliver_reduction(Block& block, const Barrier& barrier, const Barrier::Waiting& waiting) {
  const DecodedInstruction& in = block.program.code[waiting.pc];
  if (!is_reduction(*in.text)) return;
  std::byte* file = block.warps[waiting.warp].file;
  if (in.text->atomic == ptx::AtomicOp::Popc) {
    auto* destination = reinterpret_cast<uint32_t*>(file + in.destination);
    for (uint32_t l = 0; l < trace::kLanes; ++l)
      if (waiting.lanes >> l & 1) destination[l] = barrier.true_count;
    return;
  }
  const bool holds =
      in.text->atomic == ptx::AtomicOp::And ? barrier.true_count == barrier.thread_count : barrier.true_count > 0;
  auto& predicate = *reinterpret_cast<uint32_t*>(file + in.destination);
  predicate = (predicate & ~waiting.lanes) | (holds ? waiting.lanes : 0);
}

void release(Block& block, uint32_t id) {
  Barrier& barrier = block.barriers[id];
  for (const Barrier::Waiting& waiting : barrier.waiting) {
    deliver_reduction(block, barrier, waiting);
    Warp& warp = block.warps[waiting.warp];
    Path& path = warp.paths[static_cast<size_t>(waiting.path)];
    path.state = Path::State::Ready;
    path.pc = static_cast<int32_t>(waiting.pc) + 1;
    finish_at_reconvergence(warp, waiting.path);
  }
  barrier = Barrier{};
  if (block.options->observer) block.options->observer->barrier_complete(block.number, id);
}

bool is_complete(const Block& block, const Barrier& barrier) {
  if (barrier.arrived == 0) return false;
  return barrier.arrived >= (barrier.expected ? barrier.expected : live_threads(block));
}

// Returns a sentence about what is wrong with the operands; empty when all is well.
Message bad_barrier(const Block& block, uint32_t id, uint32_t count, bool has_count) {
  if (id > 15) return Message("barrier {} does not exist: a block has barriers 0 to 15", id);
  if (!has_count) return {};
  if (count == 0 || count % trace::kLanes != 0)
    return Message("a barrier for {} threads: the count must be a multiple of 32", count);
  const uint32_t rounded = (block_threads(block) + trace::kLanes - 1) / trace::kLanes * trace::kLanes;
  if (count > rounded) return Message("a barrier for {} threads in a block of {}", count, block_threads(block));
  return {};
}

void count_predicates(Barrier& barrier, const Warp& warp, const DecodedInstruction& in, uint32_t lanes) {
  if (!is_reduction(*in.text)) return;
  const uint32_t row = in.source[in.text->operands.size() - 2];
  uint32_t predicate = *reinterpret_cast<const uint32_t*>(warp.file + row);
  if (in.flip_predicate) predicate = ~predicate;
  barrier.true_count += static_cast<uint32_t>(std::popcount(predicate & lanes));
  barrier.thread_count += static_cast<uint32_t>(std::popcount(lanes));
}

}  // namespace

void arrive_at_barrier(Block& block, Warp& warp, const DecodedInstruction& in, uint32_t lanes, bool waits) {
  Path& path = warp.paths[static_cast<size_t>(warp.current)];
  const uint32_t id = first_lane_value(warp, in.source[0], lanes);
  const bool has_count = has_thread_count(*in.text);
  const uint32_t count = has_count ? first_lane_value(warp, in.source[1], lanes) : 0;
  if (Message problem = bad_barrier(block, id, count, has_count); !problem.empty()) {
    block.fault(warp, FaultKind::BadBarrier, in.pc, lanes, lanes, std::move(problem));
    path.pc = static_cast<int32_t>(in.pc) + 1;
    return;
  }
  const bool whole_warp = lanes == warp.live;
  if (is_aligned(*in.text) && !whole_warp) block.fault(warp, FaultKind::DivergentBarrier, in.pc, lanes, lanes, {});
  if (block.options->observer) {
    const SyncKind kind = waits ? SyncKind::BarrierArrive : SyncKind::BarrierPass;
    block.options->observer->sync({warp.step(in.pc, lanes), kind, id, warp.live, count});
  }
  Barrier& barrier = block.barriers[id];
  barrier.expected = count;
  // With a thread count an aligned barrier counts warps: a last warp that is not full counts as one.
  barrier.arrived += has_count && whole_warp ? trace::kLanes : static_cast<uint32_t>(std::popcount(lanes));
  count_predicates(barrier, warp, in, lanes);
  if (waits) {
    path.state = Path::State::AtBarrier;
    path.waits_for = id;
    path.pc = static_cast<int32_t>(in.pc);
    barrier.waiting.push_back({warp.index, warp.current, in.pc, lanes});
  } else {
    path.pc = static_cast<int32_t>(in.pc) + 1;
  }
  if (is_complete(block, barrier)) release(block, id);
}

void release_complete_barriers(Block& block) {
  for (uint32_t id = 0; id < block.barriers.size(); ++id)
    if (is_complete(block, block.barriers[id])) release(block, id);
}

namespace {

// The row of member masks; null for an instruction without one.
const uint32_t* member_masks(const Warp& warp, const DecodedInstruction& in) {
  const auto row = [&](int source) { return reinterpret_cast<const uint32_t*>(warp.file + in.source[source]); };
  switch (in.text->op) {
    case Op::BarWarpSync:
    case Op::Elect: return row(0);
    case Op::Shfl: return row(3);
    case Op::Redux:
    case Op::Vote:
    case Op::MatchAny:
    case Op::MatchAll: return row(1);
    default: return nullptr;
  }
}

// Whether the path waits at this sync: any bar.warp.sync of that mask, else the same instruction.
bool waits_at(const Block& block, const Path& path, const DecodedInstruction& in, uint32_t members) {
  if (path.state != Path::State::AtWarpSync || !path.mask || path.waits_for != members) return false;
  const DecodedInstruction& its = block.program.code[static_cast<size_t>(path.pc)];
  return its.pc == in.pc || (its.text->op == Op::BarWarpSync && in.text->op == Op::BarWarpSync);
}

// Runs a sync once all its remaining members have arrived, and releases them.
bool pass_warp_sync(Block& block, Warp& warp, const DecodedInstruction& in, uint32_t members) {
  uint32_t together = 0;
  for (const Path& path : warp.paths)
    if (waits_at(block, path, in, members)) together |= path.mask;
  if (members & warp.live & ~together) return false;
  if (block.options->observer)
    block.options->observer->sync({warp.step(in.pc, together), SyncKind::WarpSync, 0, members});
  in.run(warp, in, together);
  for (size_t p = 0; p < warp.paths.size(); ++p) {
    if (!waits_at(block, warp.paths[p], in, members)) continue;
    warp.paths[p].state = Path::State::Ready;
    ++warp.paths[p].pc;
    finish_at_reconvergence(warp, static_cast<int32_t>(p));
  }
  return true;
}

void note_missing_members(Block& block, const Warp& warp, const DecodedInstruction& in, const SyncGroup& group) {
  if (group.lanes & ~group.members)
    block.fault(warp, FaultKind::IncompleteWarpSync, in.pc, group.lanes, group.lanes & ~group.members,
                Message("the member mask 0x{:08x} leaves out lanes that execute it", group.members));
}

}  // namespace

std::vector<SyncGroup> sync_groups(const Warp& warp, const DecodedInstruction& in, uint32_t lanes) {
  const uint32_t* masks = member_masks(warp, in);
  if (!masks) return {{lanes, lanes}};
  std::vector<SyncGroup> groups;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const auto same = [&](const SyncGroup& group) { return group.members == masks[lane]; };
    const auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found != groups.end())
      found->lanes |= 1u << lane;
    else
      groups.push_back({masks[lane], 1u << lane});
  }
  return groups;
}

void arrive_at_warp_sync(Block& block, Warp& warp, const DecodedInstruction& in, const SyncGroup& group) {
  note_missing_members(block, warp, in, group);
  Path& path = warp.paths[static_cast<size_t>(warp.current)];
  path.state = Path::State::AtWarpSync;
  path.waits_for = group.members;
  path.pc = static_cast<int32_t>(in.pc);
  pass_warp_sync(block, warp, in, group.members);
}

bool pass_warp_sync_together(Block& block, Warp& warp, const DecodedInstruction& in,
                             const std::vector<SyncGroup>& groups) {
  for (const SyncGroup& group : groups)
    if (group.members & warp.live & ~group.lanes) return false;
  for (const SyncGroup& group : groups) {
    note_missing_members(block, warp, in, group);
    if (block.options->observer)
      block.options->observer->sync({warp.step(in.pc, group.lanes), SyncKind::WarpSync, 0, group.members});
    in.run(warp, in, group.lanes);
  }
  return true;
}

void pass_complete_warp_syncs(Block& block, Warp& warp) {
  for (size_t p = 0; p < warp.paths.size(); ++p) {
    const Path path = warp.paths[p];
    if (path.state == Path::State::AtWarpSync && path.mask)
      pass_warp_sync(block, warp, block.program.code[static_cast<size_t>(path.pc)], path.waits_for);
  }
}

namespace {

void report_unfinished_wait(Block& block, const Warp& warp) {
  const Warp::Wait& wait = warp.unfinished_wait;
  if (!wait.lanes || !block.options->observer) return;
  if (block.program.code[wait.pc].flow == Flow::ClusterWait)
    return block.fault(warp, FaultKind::Deadlock, wait.pc, wait.lanes, wait.lanes,
                       Message("the barrier of its cluster"));
  uint64_t addresses[trace::kLanes];
  std::fill(std::begin(addresses), std::end(addresses), wait.barrier);
  trace::Fault fault;
  fault.at = warp.step(wait.pc, wait.lanes);
  fault.kind = FaultKind::Deadlock;
  fault.space = Space::Shared;
  fault.lanes = wait.lanes;
  fault.addresses = addresses;
  fault.detail = missing_at(block, wait.barrier);
  block.options->observer->fault(fault);
}

}  // namespace

void report_deadlock(Block& block) {
  for (const Warp& warp : block.warps) report_unfinished_wait(block, warp);
  for (Warp& warp : block.warps)
    for (const Path& path : warp.paths) {
      if (!path.mask || path.children || path.state == Path::State::Ready) continue;
      const bool at_barrier = path.state == Path::State::AtBarrier;
      Message detail =
          at_barrier ? Message("barrier {}", path.waits_for) : Message("lanes of member mask 0x{:08x}", path.waits_for);
      block.fault(warp, FaultKind::Deadlock, static_cast<uint32_t>(path.pc), path.mask, path.mask, std::move(detail));
    }
}

}  // namespace tilescope::emulator
