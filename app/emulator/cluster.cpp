// Clusters: blocks that access one another's shared memory and have their own barrier.

#include <algorithm>

#include "emulator/block.h"
#include "emulator/scalar.h"

namespace tilescope::emulator {
namespace {

using trace::kLanes;

constexpr uint64_t kOffsetMask = (uint64_t{1} << trace::kRankShift) - 1;

}  // namespace

Block* owner_of(Block& block, uint64_t& address) {
  const uint64_t tag = address >> trace::kRankShift;
  if (tag == 0) return &block;
  if (tag > block.cluster->blocks.size()) return nullptr;
  address &= kOffsetMask;
  return block.cluster->blocks[tag - 1];
}

void finish_cluster_phase(Cluster& cluster) {
  bool arrived = false;
  for (const Block* block : cluster.blocks) {
    for (const Warp& warp : block->warps) {
      if (warp.live & ~warp.cluster_arrived) return;
      arrived = arrived || warp.cluster_arrived != 0;
    }
  }
  if (!arrived) return;
  ++cluster.phase;
  for (Block* block : cluster.blocks)
    for (Warp& warp : block->warps) warp.cluster_arrived = 0;
}

bool cluster_has_met(const Warp& warp) { return warp.block->cluster->phase > warp.cluster_phase; }

void cluster_arrive(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  Cluster& cluster = *warp.block->cluster;
  warp.cluster_arrived |= mask;
  warp.cluster_phase = cluster.phase;
  if (warp.observer)
    warp.observer->sync({warp.step(in.pc, mask), trace::SyncKind::ClusterArrive, cluster.phase, warp.live});
  finish_cluster_phase(cluster);
}

void map_address(Warp& warp, const DecodedInstruction& in, uint32_t mask) {
  const bool maps = in.text->op == ptx::Op::Mapa, generic = in.text->space != Space::Shared;
  const uint32_t size = ptx::size_of(in.text->type), own = warp.block->rank;
  // The address of a variable is a 64-bit constant.
  const uint32_t address_size = in.text->operands[1].kind == ptx::Operand::Kind::Variable ? 8 : size;
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!(mask >> l & 1)) continue;
    const uint64_t address = read_lane(warp.file + in.source[0], address_size, l);
    const uint64_t offset = generic ? address - kSharedWindow : address;
    const uint64_t tag = offset >> trace::kRankShift;
    if (!maps) {
      write_lane(warp.file + in.destination, 4, l, tag == 0 ? own : tag - 1);
      continue;
    }
    const uint64_t rank = read_lane(warp.file + in.source[1], 4, l);
    const uint64_t there = (offset & kOffsetMask) | (rank == own ? 0 : rank + 1) << trace::kRankShift;
    write_lane(warp.file + in.destination, size, l, generic ? there + kSharedWindow : there);
  }
}

}  // namespace tilescope::emulator
