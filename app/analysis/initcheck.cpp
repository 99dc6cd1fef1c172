#include "analysis/initcheck.h"

#include <algorithm>
#include <utility>

namespace tilescope::analysis {
namespace {

/// An access is aligned to its size and at most 16 bytes wide, so its bits lie in one word.
uint64_t bits_of(uint64_t first, uint32_t bytes) { return ((uint64_t{1} << bytes) - 1) << first % 64; }

}  // namespace

void Initcheck::Written::set(uint64_t first, uint32_t bytes) {
  if (words_.size() <= first / 64) words_.resize(first / 64 + 1, 0);
  words_[first / 64] |= bits_of(first, bytes);
}

bool Initcheck::Written::all(uint64_t first, uint32_t bytes) const {
  return first / 64 < words_.size() && !(~words_[first / 64] & bits_of(first, bytes));
}

Initcheck::Initcheck(const LaunchFacts& facts) : facts_(facts), local_(facts.threads()) {
  for (const auto& array : facts.global)
    if (!array.initialised) global_.push_back({array.allocation, {}});
}

void Initcheck::block_begin(uint32_t) {
  shared_.clear();
  for (Written& written : local_) written.clear();
}

Initcheck::Written* Initcheck::written_of(Space space, uint32_t thread, uint64_t& address) {
  if (space == Space::Shared) return &shared_;
  if (space == Space::Local) return thread < local_.size() ? &local_[thread] : nullptr;
  if (space != Space::Global) return nullptr;
  const auto at =
      std::find_if(global_.begin(), global_.end(), [&](const Global& g) { return g.allocation.contains(address); });
  if (at == global_.end()) return nullptr;
  address -= at->allocation.base;
  return &at->written;
}

void Initcheck::access(const trace::Access& access) {
  if (access.space == Space::Global && global_.empty()) return;
  const bool reads = access.kind != trace::AccessKind::Store && access.kind != trace::AccessKind::AsyncCopyWrite;
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane) {
    if (!(access.at.active >> lane & 1)) continue;
    uint64_t address = access.addresses[lane];
    Written* written = written_of(access.space, access.at.warp * trace::kLanes + lane, address);
    if (!written) continue;
    if (reads && !written->all(address, access.bytes)) add_read(access, lane);
    if (trace::is_write(access.kind)) written->set(address, access.bytes);
  }
}

void Initcheck::add_read(const trace::Access& access, uint32_t lane) {
  Finding f;
  f.checker = Checker::Initcheck;
  f.kind = FindingKind::UninitialisedMemory;
  f.site = facts_.site_at(access.at.pc, access.at.block, access.at.warp, lane);
  f.site.access = access.kind;
  f.space = access.space;
  f.address = access.addresses[lane];
  f.bytes = access.bytes;
  uint64_t local_address = f.address;
  const Written* written = written_of(f.space, access.at.warp * trace::kLanes + lane, local_address);
  while (written->all(local_address, 1)) ++local_address, ++f.address;
  if (const Allocation* array = facts_.array_at(f.space, f.address)) f.array = array->name;
  f.element = facts_.element_at(f.space, f.address, f.bytes);
  log_.add(std::move(f));
}

void Initcheck::fault(const trace::Fault& fault) {
  if (fault.kind != trace::FaultKind::UninitialisedRegister || fault.lanes == 0) return;
  Finding f;
  f.checker = Checker::Initcheck;
  f.kind = FindingKind::UninitialisedRegister;
  f.site =
      facts_.site_at(fault.at.pc, fault.at.block, fault.at.warp, static_cast<uint32_t>(__builtin_ctz(fault.lanes)));
  f.detail = fault.detail;
  log_.add(std::move(f));
}

}  // namespace tilescope::analysis
