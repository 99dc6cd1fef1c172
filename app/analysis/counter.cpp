#include "analysis/counter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tilescope::analysis {
namespace {

/// Of sectors that a block has requested; more than L1 holds, because blocks rarely reread old sectors.
constexpr uint64_t kRemembered = 65536;
/// Looking takes as long as everything else counted for a load.
constexpr uint32_t kLooksAtEvery = 8;

constexpr uint64_t kWidestAccess = 16;

/// No two sectors of 2 MiB have the same place, nor have those of a matrix's column.
uint64_t place_of(uint64_t sector) { return (sector ^ sector >> 9 ^ sector >> 18) % kRemembered; }

/// Widens [low, high] to hold the other's; a range of no requests holds nothing.
void widen(uint32_t& low, uint32_t& high, bool first, uint32_t other_low, uint32_t other_high) {
  low = first ? other_low : std::min(low, other_low);
  high = std::max(high, other_high);
}

AtomicCounts atomic_cost(const trace::Access& access) {
  const auto lanes = static_cast<uint64_t>(std::popcount(access.at.active));
  return {1, lanes * std::max<uint64_t>(1, access.bytes / kBankBytes)};
}

void count_local(PcCounts& counts, const trace::Access& access) {
  GlobalCounts& sums = trace::is_write(access.kind) ? counts.local_store : counts.local_load;
  const GlobalCost cost = local_cost(access.addresses, access.at.active, access.bytes);
  sums.add(cost);
  sums.wavefronts += cost.lines;
}

SharedCost merged_cost(const MergedAccess& merged, const trace::Access& access, bool is_load) {
  std::array<uint64_t, trace::kLanes> addresses{};
  for (uint32_t lane = 0; lane < trace::kLanes; ++lane)
    if (access.at.active >> lane & 1) addresses[lane] = access.addresses[lane] + static_cast<int64_t>(merged.offset);
  return shared_cost(addresses.data(), access.at.active, merged.bytes, is_load);
}

}  // namespace

void GlobalCounts::add(const GlobalCost& cost) {
  if (cost.requests == 0) return;
  widen(min_sectors, max_sectors, requests == 0, cost.sectors, cost.sectors);
  requests += cost.requests;
  sectors += cost.sectors;
  lines += cost.lines;
  words += cost.words;
  bytes += cost.bytes;
  ideal_sectors += cost.ideal_sectors();
}

void GlobalCounts::merge(const GlobalCounts& other) {
  if (other.requests == 0) return;
  widen(min_sectors, max_sectors, requests == 0, other.min_sectors, other.max_sectors);
  requests += other.requests;
  sectors += other.sectors;
  lines += other.lines;
  words += other.words;
  wavefronts += other.wavefronts;
  looked_at += other.looked_at;
  misses += other.misses;
  bytes += other.bytes;
  ideal_sectors += other.ideal_sectors;
}

void SharedCounts::add(const SharedCost& cost) {
  if (cost.requests == 0) return;
  widen(min_wavefronts, max_wavefronts, requests == 0, cost.wavefronts, cost.wavefronts);
  requests += cost.requests;
  wavefronts += cost.wavefronts;
  bank_conflicts += cost.bank_conflicts;
  words += cost.words;
}

void SharedCounts::merge(const SharedCounts& other) {
  if (other.requests == 0) return;
  widen(min_wavefronts, max_wavefronts, requests == 0, other.min_wavefronts, other.max_wavefronts);
  requests += other.requests;
  wavefronts += other.wavefronts;
  bank_conflicts += other.bank_conflicts;
  words += other.words;
}

void AtomicCounts::merge(const AtomicCounts& other) {
  requests += other.requests;
  words += other.words;
}

void BulkCounts::merge(const BulkCounts& other) {
  copies += other.copies;
  bytes += other.bytes;
  sectors += other.sectors;
}

void PcCounts::merge(const PcCounts& other) {
  global_load.merge(other.global_load);
  global_store.merge(other.global_store);
  local_load.merge(other.local_load);
  local_store.merge(other.local_store);
  shared_load.merge(other.shared_load);
  shared_store.merge(other.shared_store);
  shared_load_merged.merge(other.shared_load_merged);
  shared_store_merged.merge(other.shared_store_merged);
  global_atomic.merge(other.global_atomic);
  shared_atomic.merge(other.shared_atomic);
  bulk_load.merge(other.bulk_load);
  bulk_store.merge(other.bulk_store);
  matrix_loads += other.matrix_loads;
  matrix_stores += other.matrix_stores;
  product_wavefronts += other.product_wavefronts;
  barriers += other.barriers;
}

Counter::Counter(size_t instructions, std::shared_ptr<const MergePlan> plan)
    : plan_(std::move(plan)),
      roles_(plan_.get()),
      per_pc_(instructions),
      global_(instructions),
      shared_(instructions),
      remembered_(kRemembered) {}

bool Counter::Request::becomes(const trace::Access& access, uint32_t period) {
  const uint64_t first = access.addresses[0];
  uint64_t differences = ((first & (period - 1)) ^ place) | (access.at.active ^ active) | (access.bytes ^ bytes) |
                         (access.pattern ^ pattern);
  for (uint32_t lane = 0; access.pattern == 0 && lane < trace::kLanes; ++lane) {
    const uint64_t distance = access.addresses[lane] - first;
    differences |= distance ^ distances[lane];
    distances[lane] = distance;
  }
  pattern = access.pattern;
  place = first & (period - 1);
  active = access.at.active;
  bytes = access.bytes;
  return differences == 0;
}

Counter::Request& Counter::last_request(std::vector<uint32_t>& known, uint32_t pc) {
  if (known[pc] == 0) {
    requests_.emplace_back();
    known[pc] = static_cast<uint32_t>(requests_.size());
  }
  return requests_[known[pc] - 1];
}

void Counter::block_begin(uint32_t block) {
  roles_.block_begin();
  looks_ = block % kLooksAtEvery == 0;
  if (looks_) std::fill(remembered_.begin(), remembered_.end(), 0);
}

bool Counter::misses(const trace::Access& access) {
  bool any = false;
  for (uint32_t lanes = access.at.active; lanes != 0; lanes &= lanes - 1) {
    const uint64_t sector = access.addresses[std::countr_zero(lanes)] / kSectorBytes;
    if (std::exchange(remembered_[place_of(sector)], sector + 1) != sector + 1) any = true;
  }
  return any;
}

void Counter::count_global(PcCounts& counts, const trace::Access& access) {
  if (trace::is_atomic(access.kind)) return counts.global_atomic.merge(atomic_cost(access));
  const bool is_write = trace::is_write(access.kind);
  GlobalCounts& sums = is_write ? counts.global_store : counts.global_load;
  Request& request = last_request(global_, access.at.pc);
  if (!request.becomes(access, kLineBytes)) {
    request.global = global_cost(access.addresses, access.at.active, access.bytes);
    request.global_wavefronts = global_wavefronts(access.addresses, access.at.active, access.bytes);
  }
  sums.add(request.global);
  if (!is_write && looks_) {
    ++sums.looked_at;
    sums.misses += misses(access) ? 1 : 0;
  }
  // cp.async uses the data path for its store to shared memory, and hardly more.
  if (access.kind != trace::AccessKind::AsyncCopyRead) sums.wavefronts += request.global_wavefronts;
}

void Counter::count_shared(PcCounts& counts, const trace::Access& access) {
  if (trace::is_atomic(access.kind)) return counts.shared_atomic.merge(atomic_cost(access));
  const bool is_load = !trace::is_write(access.kind);
  Request& request = last_request(shared_, access.at.pc);
  if (!request.becomes(access, std::max<uint32_t>(kBankBytes, access.bytes))) {
    request.shared = shared_cost(access.addresses, access.at.active, access.bytes, is_load && !access.is_matrix);
    request.merged_bytes = 0;
  }
  (is_load ? counts.shared_load : counts.shared_store).add(request.shared);
  if (access.is_matrix) ++(is_load ? counts.matrix_loads : counts.matrix_stores);
  SharedCounts& merged = is_load ? counts.shared_load_merged : counts.shared_store_merged;
  const MergeRole role = roles_.next(access.at);
  if (role.as_written()) merged.add(request.shared);
  if (!role.leads) return;
  const MergedAccess& as = plan_->accesses[role.access];
  const uint64_t place = (access.addresses[0] + static_cast<int64_t>(as.offset)) % kWidestAccess;
  if (request.merged_bytes != as.bytes || request.merged_place != place) {
    request.merged = merged_cost(as, access, is_load);
    request.merged_bytes = as.bytes;
    request.merged_place = place;
  }
  merged.add(request.merged);
}

void Counter::access(const trace::Access& access) {
  if (access.at.active == 0) return;
  PcCounts& counts = per_pc_[access.at.pc];
  switch (access.space) {
    case Space::Global: return count_global(counts, access);
    case Space::Local: return count_local(counts, access);
    case Space::Shared: return count_shared(counts, access);
    default: return;  // constants and parameters come from a cache of their own
  }
}

void Counter::sync(const trace::Sync& sync) {
  if (sync.kind == trace::SyncKind::BarrierArrive || sync.kind == trace::SyncKind::BarrierPass)
    ++per_pc_[sync.at.pc].barriers;
}

void Counter::bulk_copy(const trace::BulkCopy& copy) {
  PcCounts& counts = per_pc_[copy.at.pc];
  BulkCounts one{1, 0, bulk_sectors(*copy.pieces, copy.to_shared)};
  for (const trace::BulkCopy::Piece& piece : *copy.pieces) one.bytes += piece.bytes;
  (copy.to_shared ? counts.bulk_load : counts.bulk_store).merge(one);
}

void Counter::product_read(const trace::ProductRead& read) {
  per_pc_[read.at.pc].product_wavefronts += product_wavefronts(read);
}

PcCounts Counter::total() const {
  PcCounts sum;
  for (const PcCounts& counts : per_pc_) sum.merge(counts);
  return sum;
}

void Counter::merge(const Counter& other) {
  for (size_t pc = 0; pc < per_pc_.size() && pc < other.per_pc_.size(); ++pc) per_pc_[pc].merge(other.per_pc_[pc]);
}

}  // namespace tilescope::analysis
