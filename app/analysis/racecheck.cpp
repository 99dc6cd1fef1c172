#include "analysis/racecheck.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

#include "analysis/retried_loads.h"
#include "ptx/fragment.h"

namespace tilescope::analysis {
namespace {

using trace::AccessKind;
using trace::kLanes;
using trace::SyncKind;

// In a channel's key: an mbarrier, by its shared offset; the products of four warps, by their number.
constexpr uint64_t kSharedBarrier = uint64_t{1} << 63, kProducts = uint64_t{1} << 61;

uint32_t first_lane_of(uint32_t lanes) { return static_cast<uint32_t>(std::countr_zero(lanes)); }

/// Calls `f` with each lane of the mask.
template <class F>
void for_each_lane(uint32_t lanes, F f) {
  for (; lanes; lanes &= lanes - 1) f(first_lane_of(lanes));
}

// What an instruction's modifiers say of the order of memory.
constexpr uint8_t kReleases = 1, kAcquires = 2, kRelaxed = 4;

uint8_t ordering_of(const ptx::Instruction& instruction) {
  const auto has = [&](std::string_view modifier) { return instruction.modifiers.find(modifier) != std::string::npos; };
  const bool both = has(".acq_rel");
  return static_cast<uint8_t>((both || has(".release") ? kReleases : 0) | (both || has(".acquire") ? kAcquires : 0) |
                              (has(".relaxed") ? kRelaxed : 0));
}

}  // namespace

Racecheck::Racecheck(const LaunchFacts& facts) : facts_(facts), team_(facts) {
  if (facts.function)
    for (const ptx::Instruction& instruction : facts.function->instructions)
      ordering_.push_back(ordering_of(instruction));
  if (facts.function) {
    retried_ = loads_that_cas_compares(*facts.function);
    const std::vector<bool> polls = loads_that_poll(*facts.function);
    for (size_t pc = 0; pc < polls.size(); ++pc) retried_[pc] = retried_[pc] || polls[pc];
  }
  for (const auto& array : facts.global) {
    const uint64_t words = (array.allocation.bytes + 3) / 4;
    global_.push_back({array.allocation.base, array.allocation.bytes, {}});
    global_.back().chunks.resize((words + kChunkWords - 1) / kChunkWords);
  }
  std::sort(global_.begin(), global_.end(), [](const auto& a, const auto& b) { return a.base < b.base; });
}

void Racecheck::block_begin(uint32_t block) {
  if (!team_.enter(block)) return;
  order_.begin_block(loads_of(team_.warps() / ptx::kWarpsOfGroup));
  uses_.clear();
  flights_.clear();
  for (Cell& cell : shared_) cell.flights = -1;
  copies_.assign(team_.threads(), {});
  bulk_stores_.assign(team_.threads(), {});
  products_.assign(team_.warps() / ptx::kWarpsOfGroup, {});
  product_groups_.assign(team_.warps(), 0);
  products_ended_.assign(team_.warps(), 0);
  awaited_.clear();
  arrivals_.clear();
  cluster_phases_.clear();
  mate_uses_.assign(team_.blocks(), {});
  exited_.assign(team_.blocks(), false);
  fenced_.assign(team_.threads(), false);
  acquired_until_.clear();
}

Racecheck::WordAccess Racecheck::use_of(const trace::Access& access) const {
  WordAccess use;
  use.warp = access.at.warp;
  use.pc = access.at.pc;
  use.time = order_.now(access.at.warp);
  use.kind = access.kind;
  use.role = trace::is_atomic(access.kind) ? Role::Atomic : trace::is_write(access.kind) ? Role::Write : Role::Read;
  use.strong = use.role == Role::Atomic || ordering_at(access.at.pc) != 0 ||
               (use.role == Role::Write && access.is_volatile) ||
               (access.at.pc < retried_.size() && retried_[access.at.pc]);
  use.value_known = access.kind == AccessKind::Store && access.values;
  if (access.kind == AccessKind::Load) use.value = product_groups_[access.at.warp];
  return use;
}

namespace {

/// Whether no two lanes have the same address: each has a higher one than the lane before it.
bool are_apart(const trace::Access& access) {
  bool apart = true;
  uint64_t least = 0;
  for_each_lane(access.at.active, [&](uint32_t lane) {
    apart &= access.addresses[lane] >= least;
    least = access.addresses[lane] + 1;
  });
  return apart;
}

}  // namespace

void Racecheck::access(const trace::Access& of_block) {
  if (of_block.space != Space::Shared && of_block.space != Space::Global) return;
  const trace::Access& access = team_.in_team(of_block);
  if (access.space == Space::Shared && team_.blocks() > 1)
    for_each_lane(access.at.active,
                  [&](uint32_t lane) { use_mate(access.at, access.kind, lane, access.addresses[lane], access.bytes); });
  use_flag(access);
  WordAccess use = use_of(access);
  uint32_t left = access.at.active;
  if (are_apart(access)) {
    for_each_lane(left, [&](uint32_t lane) {
      use.lanes = 1u << lane;
      use_range(access, use, lane);
    });
    return;
  }
  while (left) {
    // Lanes at one address with one value are one use.
    const uint32_t first = first_lane_of(left);
    use.lanes = 0;
    for_each_lane(left, [&](uint32_t lane) {
      if (access.addresses[lane] != access.addresses[first]) return;
      if (use.value_known && std::memcmp(access.values[lane], access.values[first], access.bytes) != 0) return;
      use.lanes |= 1u << lane;
    });
    left &= ~use.lanes;
    use_range(access, use, first);
  }
}

void Racecheck::use_range(const trace::Access& access, WordAccess use, uint32_t first_lane) {
  const uint64_t begin = access.addresses[first_lane], end = begin + access.bytes;
  for (uint64_t word = begin & ~uint64_t{3}; word < end; word += 4) {
    const uint64_t from = std::max(begin, word), to = std::min(end, word + 4);
    use.bytes = static_cast<uint8_t>(((1u << (to - from)) - 1) << (from - word));
    if (use.value_known) {
      use.value = 0;
      std::memcpy(reinterpret_cast<uint8_t*>(&use.value) + (from - word), access.values[first_lane] + (from - begin),
                  to - from);
    }
    use_word(access, word, use);
  }
}

void Racecheck::use_word(const trace::Access& access, uint64_t address, const WordAccess& use) {
  GlobalCell* global = access.space == Space::Global ? global_cell(address) : nullptr;
  if (access.space == Space::Global && !global) return;
  const Place place{access, address, global ? global->cell : shared_cell(address / 4), global};
  enter_era(place.cell);
  check_flights(place, use);
  if (global) check_past(place, use);
  bool supersedes_all = check_list(place, place.cell.writes, use);
  if (use.role != Role::Read) supersedes_all &= check_list(place, place.cell.reads, use);
  const bool in_flight = use.kind == AccessKind::AsyncCopyWrite || use.kind == AccessKind::AsyncCopyRead ||
                         use.kind == AccessKind::ProductRead;
  if (in_flight && access.space == Space::Shared) {
    // A race with accesses before the copy is also a race with the copy.
    if (supersedes_all && use.role == Role::Write) place.cell.reads = place.cell.writes = -1;
    take_off(place, use);
  } else {
    keep(place.cell, use, supersedes_all && use.role == Role::Write && !use.strong);
  }
  if (global) keep_past(*global, use);
}

Racecheck::Cell& Racecheck::shared_cell(uint64_t word) {
  if (word >= shared_.size()) shared_.resize(word + 1);
  return shared_[word];
}

Racecheck::GlobalCell* Racecheck::global_cell(uint64_t address) {
  auto area = std::upper_bound(global_.begin(), global_.end(), address,
                               [](uint64_t a, const GlobalArea& g) { return a < g.base; });
  if (area == global_.begin() || address - (--area)->base >= area->bytes) return nullptr;
  const uint64_t word = (address - area->base) / 4;
  auto& chunk = area->chunks[word / kChunkWords];
  if (!chunk) chunk = std::make_unique<GlobalCell[]>(kChunkWords);
  return &chunk[word % kChunkWords];
}

void Racecheck::enter_era(Cell& cell) {
  if (cell.era == order_.era()) return;
  cell.era = order_.era();
  cell.reads = cell.writes = -1;
}

/// Whether every use of the list that overlaps is ordered before `use`.
bool Racecheck::check_list(const Place& place, int32_t head, const WordAccess& use) {
  bool ordered = true;
  for (int32_t i = head; i >= 0; i = uses_[i].next) ordered &= check_pair(place, uses_[i], use);
  return ordered;
}

bool Racecheck::check_pair(const Place& place, const WordAccess& old, const WordAccess& use) {
  if (!(old.bytes & use.bytes)) return (old.bytes & ~use.bytes) == 0;
  if (old.strong && use.strong) return false;
  if (all_ordered(old, use)) return (old.bytes & ~use.bytes) == 0;
  if (old.value_known && use.value_known && old.bytes == use.bytes && old.value == use.value) return false;
  const FindingKind kind =
      old.role == Role::Read || use.role == Role::Read ? FindingKind::ReadWriteRace : FindingKind::WriteWriteRace;
  for (uint32_t lanes = old.lanes; lanes; lanes &= lanes - 1)
    for (uint32_t others = use.lanes; others; others &= others - 1) {
      const uint32_t a = first_lane_of(lanes), b = first_lane_of(others);
      if (is_ordered(old, a, use.warp * kLanes + b)) continue;
      report(place, kind, {old, team_.number(), a}, {use, team_.number(), b});
      return false;
    }
  return false;
}

bool Racecheck::all_ordered(const WordAccess& old, const WordAccess& use) const {
  if (old.warp != use.warp && order_.unsynchronised()) return false;
  if (old.warp == use.warp && old.lanes == use.lanes && std::has_single_bit(old.lanes)) return true;
  for (uint32_t lanes = old.lanes; lanes; lanes &= lanes - 1)
    for (uint32_t others = use.lanes; others; others &= others - 1)
      if (!is_ordered(old, first_lane_of(lanes), use.warp * kLanes + first_lane_of(others))) return false;
  return true;
}

bool Racecheck::is_ordered(const WordAccess& old, uint32_t lane, uint32_t later) const {
  if (order_.ordered(old.warp * kLanes + lane, old.time, later)) return true;
  // The group after the load has ended.
  return old.kind == AccessKind::Load && order_.ordered(loads_of(old.warp / ptx::kWarpsOfGroup), old.value + 1, later);
}

void Racecheck::check_past(const Place& place, const WordAccess& use) {
  for (const int32_t index : place.global->past) {
    if (index < 0) continue;
    const Past& past = pasts_[static_cast<size_t>(index)];
    const WordAccess& old = past.use;
    if (past.team == team_.number() || !(old.bytes & use.bytes)) continue;
    if ((old.role == Role::Read && use.role == Role::Read) || (old.strong && use.strong)) continue;
    if (old.value_known && use.value_known && old.bytes == use.bytes && old.value == use.value) continue;
    const auto acquired = acquired_until_.find(past.team);
    if (acquired != acquired_until_.end() && past.moment < acquired->second) continue;
    const FindingKind kind =
        old.role == Role::Read || use.role == Role::Read ? FindingKind::ReadWriteRace : FindingKind::WriteWriteRace;
    report(place, kind, {old, past.team, first_lane_of(old.lanes)}, {use, team_.number(), first_lane_of(use.lanes)});
  }
}

void Racecheck::keep_past(GlobalCell& cell, const WordAccess& use) {
  int32_t& index = cell.past[static_cast<size_t>(use.role)];
  if (index < 0) {
    index = static_cast<int32_t>(pasts_.size());
    pasts_.emplace_back();
  }
  pasts_[static_cast<size_t>(index)] = {team_.number(), moment_, use};
}

void Racecheck::keep(Cell& cell, const WordAccess& use, bool supersedes_all) {
  if (supersedes_all) cell.reads = cell.writes = -1;
  int32_t& head = use.role == Role::Read ? cell.reads : cell.writes;
  if (merge(head, use)) return;
  uses_.push_back(use);
  uses_.back().next = head;
  head = static_cast<int32_t>(uses_.size()) - 1;
}

/// Adds the lanes to a use of the list that is the same but for them, or puts the use in the place of a read of
/// its warp that it supersedes.
bool Racecheck::merge(int32_t head, const WordAccess& use) {
  constexpr int kLongest = 64;
  int length = 0;
  for (int32_t i = head; i >= 0 && length < kLongest; i = uses_[i].next, ++length) {
    WordAccess& old = uses_[i];
    if (old.warp != use.warp || old.bytes != use.bytes || old.role != use.role || old.strong != use.strong) continue;
    if (old.time == use.time && old.value == use.value && old.value_known == use.value_known) {
      old.lanes |= use.lanes;
      return true;
    }
    if (use.role != Role::Read || !all_ordered(old, use)) continue;
    const int32_t next = old.next;
    old = use;
    old.next = next;
    return true;
  }
  return false;
}

void Racecheck::check_flights(const Place& place, const WordAccess& use) {
  for (int32_t i = place.cell.flights; i >= 0; i = flights_[i].use.next) {
    const WordAccess& flight = flights_[i].use;
    if (flight.role == Role::Read && use.role == Role::Read) continue;
    if (flight.bytes & use.bytes)
      report(place, FindingKind::AsyncCopyRace, {flight, team_.number(), first_lane_of(flight.lanes)},
             {use, team_.number(), first_lane_of(use.lanes)});
  }
}

void Racecheck::take_off(const Place& place, const WordAccess& use) {
  for_each_lane(use.lanes, [&](uint32_t lane) {
    Flight flight{place.address / 4, use};
    flight.use.lanes = 1u << lane;
    flight.use.next = place.cell.flights;
    place.cell.flights = static_cast<int32_t>(flights_.size());
    copies_[use.warp * kLanes + lane].open.push_back(place.cell.flights);
    flights_.push_back(flight);
  });
}

void Racecheck::bulk_copy(const trace::BulkCopy& copy) {
  const AccessKind of_shared = copy.to_shared ? AccessKind::AsyncCopyWrite : AccessKind::AsyncCopyRead,
                   of_global = copy.to_shared ? AccessKind::AsyncCopyRead : AccessKind::AsyncCopyWrite;
  const trace::Step at = team_.in_team(copy.at);
  const uint32_t thread = thread_of(at, first_lane_of(at.active));
  std::vector<int32_t>& open = copies_[thread].open;
  for_each_lane(copy.ranks, [&](uint32_t rank) {
    const size_t before = open.size();
    for (const trace::BulkCopy::Piece& piece : *copy.pieces)
      use_piece(at, Space::Shared, of_shared, Team::place(rank, piece.shared), piece.bytes);
    CopyGroup group(open.begin() + static_cast<ptrdiff_t>(before), open.end());
    open.resize(before);
    if (copy.to_shared)
      awaited_.push_back({at, std::move(group), rank});
    else
      bulk_stores_[thread].open.insert(bulk_stores_[thread].open.end(), group.begin(), group.end());
  });
  for (const trace::BulkCopy::Piece& piece : *copy.pieces)
    if (piece.global != trace::BulkCopy::kNowhere) use_piece(at, Space::Global, of_global, piece.global, piece.bytes);
}

/// Records that a thread uses the memory of another block of its cluster.
void Racecheck::use_mate(const trace::Step& at, AccessKind kind, uint32_t lane, uint64_t address, uint32_t bytes) {
  const uint32_t owner = Team::rank_of_place(address);
  if (owner == team_.rank_of_warp(at.warp)) return;
  MateUse mate{{}, address, bytes};
  mate.use.warp = at.warp;
  mate.use.lanes = 1u << lane;
  mate.use.pc = at.pc;
  mate.use.time = order_.now(at.warp);
  mate.use.kind = kind;
  if (exited_[owner]) return report_exited(mate);
  mate_uses_[owner][thread_of(at, lane)] = mate;
}

void Racecheck::block_exited(uint32_t block) {
  const uint32_t rank = team_.rank_of(block), of_block = team_.warps_of_block() * kLanes, first = rank * of_block;
  exited_[rank] = true;
  for (const auto& [thread, mate] : mate_uses_[rank]) {
    bool is_known = false;
    for (uint32_t own = first; own < first + of_block && !is_known; ++own)
      is_known = order_.ordered(thread, mate.use.time, own);
    if (!is_known) report_exited(mate);
  }
}

void Racecheck::report_exited(const MateUse& mate) {
  Finding f;
  f.checker = Checker::Racecheck;
  f.kind = FindingKind::MateExited;
  f.site = site_of({mate.use, team_.number(), first_lane_of(mate.use.lanes)});
  f.space = Space::Shared;
  f.bytes = mate.bytes;
  team_.name_place(f, mate.address);
  findings_.add(std::move(f));
}

/// Four warps multiply together: once one of them has waited for a product, all have finished reading.
void Racecheck::product_read(const trace::ProductRead& read) {
  trace::Step at = team_.in_team(read.at);
  Products& products = products_[at.warp / ptx::kWarpsOfGroup];
  const size_t number = product_groups_[at.warp];
  at.active &= ~(at.active - 1);
  std::vector<int32_t>& open = copies_[at.warp * kLanes + first_lane_of(at.active)].open;
  const size_t before = open.size();
  for (const trace::ProductRead::Piece& piece : *read.pieces)
    use_piece(at, Space::Shared, AccessKind::ProductRead, team_.in_team(read.at.block, piece.shared), piece.bytes);
  products.groups.resize(std::max(products.groups.size(), number + 1));
  CopyGroup& group = products.groups[number];
  group.insert(group.end(), open.begin() + static_cast<ptrdiff_t>(before), open.end());
  open.resize(before);
}

void Racecheck::wait_for_products(const trace::Sync& sync) {
  const uint32_t number = sync.at.warp / ptx::kWarpsOfGroup;
  Products& products = products_[number];
  const uint32_t committed = product_groups_[sync.at.warp];
  const size_t end = std::min<size_t>(committed > sync.id ? committed - sync.id : 0, products.groups.size());
  for (size_t i = std::exchange(products_ended_[sync.at.warp], end); i < end; ++i) {
    const CopyGroup group = std::exchange(products.groups[i], {});
    // The other warps' reads for it ended when the first had waited.
    if (i < products.landed)
      for (const int32_t flight : group) unlink(flight);
    else
      land_as(group, multiplying_warp() + team_.rank_of_warp(sync.at.warp), number % kLanes, kProducts | number);
  }
  products.landed = std::max(products.landed, end);
  Channel& channel = channel_at(kProducts | number);
  for_each_lane(sync.at.active, [&](uint32_t lane) {
    acquire(channel, thread_of(sync.at, lane));
    order_.learn(thread_of(sync.at, lane), loads_of(number), static_cast<uint32_t>(end));
  });
}

void Racecheck::use_piece(const trace::Step& at, Space space, AccessKind kind, uint64_t begin, uint64_t bytes) {
  trace::Access access;
  access.at = at;
  access.space = space;
  access.kind = kind;
  WordAccess use = use_of(access);
  use.lanes = at.active;
  use.bytes = 0xf;  // Multiples of 16 bytes; an element at the tensor's edge may be half a word.
  for (uint64_t word = begin & ~uint64_t{3}; word < begin + bytes; word += 4) use_word(access, word, use);
}

void Racecheck::landed(const trace::Landing& landing) {
  const trace::Step at = team_.in_team(landing.at);
  const uint32_t rank = team_.rank_of(landing.block);
  const auto is_it = [&](const Awaited& each) {
    return each.rank == rank && each.at.warp == at.warp && each.at.warp_step == at.warp_step &&
           each.at.active == at.active;
  };
  for (const Awaited& each : awaited_)
    if (is_it(each)) land_by_itself(each.group, Team::place(rank, landing.barrier));
  std::erase_if(awaited_, is_it);
}

/// The copies that the lanes have under way are those that their arrival waits for.
void Racecheck::await_copies(const trace::Sync& sync) {
  Awaited awaited{sync.at, {}, team_.rank_of_warp(sync.at.warp)};
  for_each_lane(sync.at.active, [&](uint32_t lane) {
    Copies& copies = copies_[sync.at.warp * kLanes + lane];
    commit(copies);
    for (const CopyGroup& group : copies.committed)
      awaited.group.insert(awaited.group.end(), group.begin(), group.end());
    copies.committed.clear();
  });
  awaited_.push_back(std::move(awaited));
}

void Racecheck::commit(Copies& copies) {
  copies.committed.push_back(std::move(copies.open));
  copies.open.clear();
}

void Racecheck::land_committed(Copies& copies, uint32_t warp, size_t groups_left) {
  while (copies.committed.size() > groups_left) {
    land(copies.committed.front(), order_.now(warp));
    copies.committed.pop_front();
  }
}

void Racecheck::unlink(int32_t flight) {
  int32_t* link = &shared_[flights_[flight].word].flights;
  while (*link != flight) link = &flights_[*link].use.next;
  *link = flights_[flight].use.next;
  flights_[flight].landed = true;
}

/// Written by nobody's access: the lane of the copying warp that represents the mbarrier hands it to who waits for
/// that.
void Racecheck::land_by_itself(const CopyGroup& group, uint64_t barrier) {
  land_as(group, copying_warp() + Team::rank_of_place(barrier), barrier / 8 % kLanes, kSharedBarrier | barrier);
}

void Racecheck::land_as(const CopyGroup& group, uint32_t warp, uint32_t lane, uint64_t channel) {
  for (int32_t index : group) {
    if (flights_[index].landed) continue;
    unlink(index);
    WordAccess use = flights_[index].use;
    use.value = use.warp * kLanes + first_lane_of(use.lanes);
    use.warp = warp;
    use.lanes = 1u << lane;
    use.time = order_.now(warp);
    Cell& cell = shared_[flights_[index].word];
    enter_era(cell);
    keep(cell, use, false);
  }
  release(channel_at(channel), warp * kLanes + lane);
}

void Racecheck::land(const CopyGroup& group, uint32_t time) {
  for (int32_t index : group) {
    if (flights_[index].landed) continue;
    unlink(index);
    Cell& cell = shared_[flights_[index].word];
    WordAccess use = flights_[index].use;
    use.time = time;
    enter_era(cell);
    keep(cell, use, false);
  }
}

void Racecheck::sync(const trace::Sync& of_block) {
  trace::Sync sync = of_block;
  sync.at = team_.in_team(of_block.at);
  switch (sync.kind) {
    case SyncKind::BarrierArrive:
    case SyncKind::BarrierPass: return arrive(sync);
    case SyncKind::WarpSync: {
      const ptx::Instruction* at = facts_.instruction(sync.at.pc);
      if (!at || at->op == ptx::Op::BarWarpSync) order_.warp_barrier(sync.at.warp, sync.members);
      return;
    }
    case SyncKind::CopyCommit:
      return for_each_lane(sync.at.active, [&](uint32_t lane) { commit(copies_[sync.at.warp * kLanes + lane]); });
    case SyncKind::CopyWait: return wait_for_copies(sync);
    case SyncKind::Fence:
      return for_each_lane(sync.at.active, [&](uint32_t lane) { fenced_[sync.at.warp * kLanes + lane] = true; });
    case SyncKind::BulkCommit:
      return for_each_lane(sync.at.active, [&](uint32_t lane) { commit(bulk_stores_[sync.at.warp * kLanes + lane]); });
    case SyncKind::BulkWait:
      return for_each_lane(sync.at.active, [&](uint32_t lane) {
        land_committed(bulk_stores_[sync.at.warp * kLanes + lane], sync.at.warp, sync.id);
      });
    case SyncKind::ProductCommit: ++product_groups_[sync.at.warp]; return;
    case SyncKind::ProductWait: return wait_for_products(sync);
    case SyncKind::MbarrierArrive:
    case SyncKind::MbarrierWait: return use_mbarrier(sync, team_.in_team(of_block.at.block, sync.id));
    case SyncKind::ClusterArrive:
    case SyncKind::ClusterWait: return meet_cluster(sync);
    case SyncKind::MbarrierTry: return;
  }
}

void Racecheck::arrive(const trace::Sync& sync) {
  Arrivals& arrivals = arrivals_[{team_.rank_of_warp(sync.at.warp), sync.id}];
  arrivals.whole_block |= facts_.is_block_barrier(sync.at.pc);
  for_each_lane(sync.at.active, [&](uint32_t lane) {
    const uint32_t thread = sync.at.warp * kLanes + lane;
    if (!arrivals.whole_block) order_.release(arrivals.clock, thread);
    if (sync.kind == SyncKind::BarrierArrive) arrivals.waiting.push_back(thread);
  });
}

void Racecheck::barrier_complete(uint32_t block, uint32_t id) {
  const uint32_t rank = team_.rank_of(block);
  const Arrivals arrivals = std::move(arrivals_[{rank, id}]);
  arrivals_.erase({rank, id});
  const bool is_whole = arrivals.whole_block || arrivals.waiting.size() == facts_.threads();
  if (is_whole && team_.blocks() > 1) {
    order_.meet(rank * team_.warps_of_block(), team_.warps_of_block());
  } else if (is_whole) {
    order_.block_barrier();
    uses_.clear();
  } else {
    for (uint32_t thread : arrivals.waiting) order_.acquire(arrivals.clock, thread);
  }
}

void Racecheck::wait_for_copies(const trace::Sync& sync) {
  const ptx::Instruction* at = facts_.instruction(sync.at.pc);
  const bool uncommitted_too = at && at->op == ptx::Op::CpAsyncWaitAll;
  for_each_lane(sync.at.active, [&](uint32_t lane) {
    const uint32_t thread = sync.at.warp * kLanes + lane;
    if (uncommitted_too) commit(copies_[thread]);
    land_committed(copies_[thread], sync.at.warp, sync.id);
  });
}

/// Threads that arrive are released into their phase, those that wait acquire it; the phases before it are over.
void Racecheck::meet_cluster(const trace::Sync& sync) {
  ThreadOrder::Clock& clock = cluster_phases_[sync.id];
  const bool arrives = sync.kind == SyncKind::ClusterArrive;
  if (arrives && (ordering_at(sync.at.pc) & kRelaxed)) return;
  for_each_lane(sync.at.active, [&](uint32_t lane) {
    arrives ? order_.release(clock, thread_of(sync.at, lane)) : order_.acquire(clock, thread_of(sync.at, lane));
  });
  if (!arrives) cluster_phases_.erase(cluster_phases_.begin(), cluster_phases_.find(sync.id));
}

void Racecheck::use_mbarrier(const trace::Sync& sync, uint64_t address) {
  const ptx::Instruction* at = facts_.instruction(sync.at.pc);
  if (at && at->op == ptx::Op::CpAsyncMbarrierArrive) await_copies(sync);
  Channel& channel = channel_at(kSharedBarrier | address);
  for_each_lane(sync.at.active, [&](uint32_t lane) {
    const uint32_t thread = sync.at.warp * kLanes + lane;
    if (team_.blocks() > 1) use_mate(sync.at, AccessKind::Reduction, lane, address, 8);
    sync.kind == SyncKind::MbarrierArrive ? release(channel, thread) : acquire(channel, thread);
  });
}

/// An atomic or volatile access as a flag: it acquires what the word carries, and a fenced or releasing one adds to it.
void Racecheck::use_flag(const trace::Access& access) {
  if (!trace::is_atomic(access.kind) && !access.is_volatile) return;
  constexpr uint64_t kSharedKey = uint64_t{1} << 62;
  const bool released_here = (ordering_at(access.at.pc) & kReleases) != 0;
  for_each_lane(access.at.active, [&](uint32_t lane) {
    const uint32_t thread = access.at.warp * kLanes + lane;
    const uint64_t key = access.addresses[lane] | (access.space == Space::Shared ? kSharedKey : 0);
    const bool adds = trace::is_write(access.kind) && (fenced_[thread] || released_here);
    if (!adds && !channels_.count(key)) return;
    Channel& channel = channel_at(key);
    if (access.kind != AccessKind::Store) acquire(channel, thread);
    if (adds) release(channel, thread);
  });
}

Racecheck::Channel& Racecheck::channel_at(uint64_t key) {
  Channel& channel = channels_[key];
  if (channel.team != team_.number()) {
    channel.team = team_.number();
    channel.clock.clear();
  }
  return channel;
}

void Racecheck::release(Channel& channel, uint32_t thread) {
  order_.release(channel.clock, thread);
  for (const auto& [team, moment] : acquired_until_)
    channel.released_until[team] = std::max(channel.released_until[team], moment);
  channel.released_until[team_.number()] = ++moment_;
}

void Racecheck::acquire(Channel& channel, uint32_t thread) {
  order_.acquire(channel.clock, thread);
  for (const auto& [team, moment] : channel.released_until)
    acquired_until_[team] = std::max(acquired_until_[team], moment);
}

Site Racecheck::site_of(const Side& side) const {
  const bool by_itself = side.use.warp >= copying_warp();
  const uint32_t thread = by_itself ? side.use.value : side.use.warp * kLanes + side.lane;
  Site site = team_.site_at(side.use.pc, side.team, thread / kLanes, thread % kLanes);
  site.access = side.use.kind;
  const ptx::Instruction* at = facts_.instruction(side.use.pc);
  site.bulk = at && ptx::class_of(at->op) == ptx::OpClass::BulkCopy;
  return site;
}

void Racecheck::report(const Place& place, FindingKind kind, const Side& old, const Side& now) {
  // The write first, of two writes the plain one, then the one earlier in the program; but a copy in flight before all.
  const bool keep_order = kind == FindingKind::AsyncCopyRace ||
                          std::tuple(old.use.role != Role::Write, old.use.role == Role::Read, old.use.pc) <=
                              std::tuple(now.use.role != Role::Write, now.use.role == Role::Read, now.use.pc);
  Finding f;
  f.checker = Checker::Racecheck;
  f.kind = kind;
  f.site = site_of(keep_order ? old : now);
  f.other = site_of(keep_order ? now : old);
  f.space = place.access.space;
  f.address = place.address + first_lane_of(old.use.bytes & now.use.bytes);
  f.bytes = place.access.bytes;
  f.space == Space::Shared ? team_.name_place(f, f.address) : facts_.name_place(f);
  findings_.add(std::move(f));
}

}  // namespace tilescope::analysis
