#include "analysis/proxycheck.h"

#include <bit>
#include <string_view>
#include <utility>

namespace tilescope::analysis {

void Proxycheck::block_begin(uint32_t block) {
  if (!team_.enter(block)) return;
  stores_.clear();
  fenced_.assign(team_.threads(), 0);
  moment_ = 0;
}

Proxycheck::Store& Proxycheck::store_at(uint64_t address) {
  const uint64_t word = address / 4;
  if (word >= stores_.size()) stores_.resize(word + 1);
  return stores_[word];
}

void Proxycheck::access(const trace::Access& of_block) {
  const bool stores = of_block.kind == trace::AccessKind::Store || trace::is_atomic(of_block.kind);
  if (of_block.space != Space::Shared || !stores) return;
  const trace::Access& access = team_.in_team(of_block);
  ++moment_;
  for (uint32_t rest = access.at.active; rest; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint64_t begin = access.addresses[lane], end = begin + access.bytes;
    for (uint64_t address = begin & ~uint64_t{3}; address < end; address += 4)
      store_at(address) = {moment_, access.at.warp * trace::kLanes + lane, access.at.pc, access.kind};
  }
}

void Proxycheck::sync(const trace::Sync& sync) {
  const ptx::Instruction* at = facts_.instruction(sync.at.pc);
  const bool is_proxy_fence =
      sync.kind == trace::SyncKind::Fence && at && at->modifiers.find(".proxy.async") != std::string::npos;
  if (!is_proxy_fence) return;
  ++moment_;
  for (uint32_t rest = sync.at.active; rest; rest &= rest - 1)
    fenced_[team_.in_team(sync.at).warp * trace::kLanes + static_cast<uint32_t>(std::countr_zero(rest))] = moment_;
}

bool Proxycheck::check(const trace::Step& at, trace::AccessKind kind, uint64_t begin, uint64_t bytes) {
  const uint32_t asker = at.warp * trace::kLanes + static_cast<uint32_t>(std::countr_zero(at.active));
  for (uint64_t address = begin; address < begin + bytes; address += 4) {
    const Store& store = store_at(address);
    if (store.moment <= fenced_[store.thread] || store.moment <= fenced_[asker]) continue;
    add(at, kind, address, store);
    return false;
  }
  return true;
}

void Proxycheck::bulk_copy(const trace::BulkCopy& copy) {
  const trace::Step at = team_.in_team(copy.at);
  for (uint32_t ranks = copy.ranks; ranks; ranks &= ranks - 1)
    for (const trace::BulkCopy::Piece& piece : *copy.pieces) {
      const uint64_t begin = Team::place(static_cast<uint32_t>(std::countr_zero(ranks)), piece.shared);
      if (!copy.to_shared && !check(at, trace::AccessKind::AsyncCopyRead, begin, piece.bytes)) return;
      for (uint64_t address = begin; copy.to_shared && address < begin + piece.bytes; address += 4)
        store_at(address) = {};
    }
}

void Proxycheck::product_read(const trace::ProductRead& read) {
  for (const trace::ProductRead::Piece& piece : *read.pieces)
    if (!check(team_.in_team(read.at), trace::AccessKind::ProductRead, team_.in_team(read.at.block, piece.shared),
               piece.bytes))
      return;
}

void Proxycheck::add(const trace::Step& at, trace::AccessKind kind, uint64_t address, const Store& store) {
  Finding f;
  f.checker = Checker::Racecheck;
  f.kind = FindingKind::MissingProxyFence;
  f.site = team_.site_at(at.pc, team_.number(), at.warp, static_cast<uint32_t>(std::countr_zero(at.active)));
  f.site.access = kind;
  f.site.bulk = kind == trace::AccessKind::AsyncCopyRead;
  f.other = team_.site_at(store.pc, team_.number(), store.thread / trace::kLanes, store.thread % trace::kLanes);
  f.other->access = store.kind;
  f.space = Space::Shared;
  f.bytes = 4;
  team_.name_place(f, address);
  findings_.add(std::move(f));
}

}  // namespace tilescope::analysis
