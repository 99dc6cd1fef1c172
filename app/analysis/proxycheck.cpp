#include "analysis/proxycheck.h"

#include <bit>
#include <string_view>
#include <utility>

namespace tilescope::analysis {

void Proxycheck::block_begin(uint32_t) {
  stores_.clear();
  fenced_.assign(facts_.threads(), 0);
  moment_ = 0;
}

Proxycheck::Store& Proxycheck::store_at(uint64_t address) {
  const uint64_t word = address / 4;
  if (word >= stores_.size()) stores_.resize(word + 1);
  return stores_[word];
}

void Proxycheck::access(const trace::Access& access) {
  const bool stores = access.kind == trace::AccessKind::Store || trace::is_atomic(access.kind);
  if (access.space != Space::Shared || !stores) return;
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
  const bool is_proxy_fence = sync.kind == trace::SyncKind::Fence && at &&
                              at->modifiers.find(".proxy.async") != std::string::npos;
  if (!is_proxy_fence) return;
  ++moment_;
  for (uint32_t rest = sync.at.active; rest; rest &= rest - 1)
    fenced_[sync.at.warp * trace::kLanes + static_cast<uint32_t>(std::countr_zero(rest))] = moment_;
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
  for (const trace::BulkCopy::Piece& piece : *copy.pieces) {
    if (!copy.to_shared && !check(copy.at, trace::AccessKind::AsyncCopyRead, piece.shared, piece.bytes)) return;
    for (uint64_t address = piece.shared; copy.to_shared && address < piece.shared + piece.bytes; address += 4)
      store_at(address) = {};
  }
}

void Proxycheck::product_read(const trace::ProductRead& read) {
  for (const trace::ProductRead::Piece& piece : *read.pieces)
    if (!check(read.at, trace::AccessKind::ProductRead, piece.shared, piece.bytes)) return;
}

void Proxycheck::add(const trace::Step& at, trace::AccessKind kind, uint64_t address, const Store& store) {
  Finding f;
  f.checker = Checker::Racecheck;
  f.kind = FindingKind::MissingProxyFence;
  f.site = facts_.site_at(at.pc, at.block, at.warp, static_cast<uint32_t>(std::countr_zero(at.active)));
  f.site.access = kind;
  f.site.bulk = kind == trace::AccessKind::AsyncCopyRead;
  f.other = facts_.site_at(store.pc, at.block, store.thread / trace::kLanes, store.thread % trace::kLanes);
  f.other->access = store.kind;
  f.space = Space::Shared;
  f.address = address;
  f.bytes = 4;
  if (const Allocation* array = facts_.array_at(f.space, f.address)) f.array = array->name;
  f.element = facts_.element_at(f.space, f.address, f.bytes);
  log_.add(std::move(f));
}

}  // namespace tilescope::analysis
