#include "analysis/racecheck.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

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

bool has_modifier(const ptx::Instruction* at, std::string_view modifier) {
  return at && at->modifiers.find(modifier) != std::string::npos;
}

bool releases(const ptx::Instruction* at) { return has_modifier(at, ".release") || has_modifier(at, ".acq_rel"); }

bool is_synchronising(const ptx::Instruction* at) {
  return releases(at) || has_modifier(at, ".acquire") || has_modifier(at, ".relaxed");
}

}  // namespace

Racecheck::Racecheck(const LaunchFacts& facts) : facts_(facts) {
  for (const auto& array : facts.global) {
    const uint64_t words = (array.allocation.bytes + 3) / 4;
    global_.push_back({array.allocation.base, array.allocation.bytes, {}});
    global_.back().chunks.resize((words + kChunkWords - 1) / kChunkWords);
  }
  std::sort(global_.begin(), global_.end(), [](const auto& a, const auto& b) { return a.base < b.base; });
}

void Racecheck::block_begin(uint32_t block) {
  block_ = block;
  order_.begin_block((multiplying_warp() + 1) * kLanes);
  touches_.clear();
  flights_.clear();
  for (Cell& cell : shared_) cell.flights = -1;
  copies_.assign(facts_.threads(), {});
  bulk_stores_.assign(facts_.threads(), {});
  products_.assign(facts_.warps() / ptx::kWarpsOfGroup + 1, {});
  product_groups_.assign(facts_.warps(), 0);
  products_ended_.assign(facts_.warps(), 0);
  awaited_.clear();
  arrivals_.clear();
  fenced_.assign(facts_.threads(), false);
  acquired_until_.clear();
}

Racecheck::WordAccess Racecheck::touch_of(const trace::Access& access) const {
  WordAccess touch;
  touch.warp = access.at.warp;
  touch.pc = access.at.pc;
  touch.time = order_.now(access.at.warp);
  touch.kind = access.kind;
  touch.role = trace::is_atomic(access.kind) ? Role::Atomic : trace::is_write(access.kind) ? Role::Write : Role::Read;
  touch.strong = touch.role == Role::Atomic || is_synchronising(facts_.instruction(access.at.pc));
  touch.value_known = access.kind == AccessKind::Store && access.values;
  return touch;
}

namespace {

/// Whether no two lanes can have one address: each has a higher one than the lane before it.
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

void Racecheck::access(const trace::Access& access) {
  if (access.space != Space::Shared && access.space != Space::Global) return;
  use_flag(access);
  WordAccess touch = touch_of(access);
  uint32_t left = access.at.active;
  if (are_apart(access)) {
    for_each_lane(left, [&](uint32_t lane) {
      touch.lanes = 1u << lane;
      touch_range(access, touch, lane);
    });
    return;
  }
  while (left) {
    // Lanes at one address with one value are one touch.
    const uint32_t first = first_lane_of(left);
    touch.lanes = 0;
    for_each_lane(left, [&](uint32_t lane) {
      if (access.addresses[lane] != access.addresses[first]) return;
      if (touch.value_known && std::memcmp(access.values[lane], access.values[first], access.bytes) != 0) return;
      touch.lanes |= 1u << lane;
    });
    left &= ~touch.lanes;
    touch_range(access, touch, first);
  }
}

void Racecheck::touch_range(const trace::Access& access, WordAccess touch, uint32_t first_lane) {
  const uint64_t begin = access.addresses[first_lane], end = begin + access.bytes;
  for (uint64_t word = begin & ~uint64_t{3}; word < end; word += 4) {
    const uint64_t from = std::max(begin, word), to = std::min(end, word + 4);
    touch.bytes = static_cast<uint8_t>(((1u << (to - from)) - 1) << (from - word));
    if (touch.value_known) {
      touch.value = 0;
      std::memcpy(reinterpret_cast<uint8_t*>(&touch.value) + (from - word), access.values[first_lane] + (from - begin),
                  to - from);
    }
    touch_word(access, word, touch);
  }
}

void Racecheck::touch_word(const trace::Access& access, uint64_t address, const WordAccess& touch) {
  GlobalCell* global = access.space == Space::Global ? global_cell(address) : nullptr;
  if (access.space == Space::Global && !global) return;
  const Place place{access, address, global ? global->cell : shared_cell(address / 4), global};
  enter_era(place.cell);
  check_flights(place, touch);
  if (global) check_past(place, touch);
  bool supersedes_all = check_list(place, place.cell.writes, touch);
  if (touch.role != Role::Read) supersedes_all &= check_list(place, place.cell.reads, touch);
  const bool in_flight = touch.kind == AccessKind::AsyncCopyWrite || touch.kind == AccessKind::AsyncCopyRead ||
                         touch.kind == AccessKind::ProductRead;
  if (in_flight && access.space == Space::Shared) {
    // Who races with what was before it races with the copy too.
    if (supersedes_all && touch.role == Role::Write) place.cell.reads = place.cell.writes = -1;
    take_off(place, touch);
  } else {
    keep(place.cell, touch, supersedes_all && touch.role == Role::Write && !touch.strong);
  }
  if (global) keep_past(*global, touch);
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

/// Whether every touch of the list that overlaps is ordered before `touch`.
bool Racecheck::check_list(const Place& place, int32_t head, const WordAccess& touch) {
  bool ordered = true;
  for (int32_t i = head; i >= 0; i = touches_[i].next) ordered &= check_pair(place, touches_[i], touch);
  return ordered;
}

bool Racecheck::check_pair(const Place& place, const WordAccess& old, const WordAccess& touch) {
  if (!(old.bytes & touch.bytes)) return (old.bytes & ~touch.bytes) == 0;
  if (old.strong && touch.strong) return false;
  if (all_ordered(old, touch)) return (old.bytes & ~touch.bytes) == 0;
  if (old.value_known && touch.value_known && old.bytes == touch.bytes && old.value == touch.value) return false;
  const FindingKind kind =
      old.role == Role::Read || touch.role == Role::Read ? FindingKind::ReadWriteRace : FindingKind::WriteWriteRace;
  for (uint32_t lanes = old.lanes; lanes; lanes &= lanes - 1)
    for (uint32_t others = touch.lanes; others; others &= others - 1) {
      const uint32_t a = first_lane_of(lanes), b = first_lane_of(others);
      if (order_.ordered(old.warp * kLanes + a, old.time, touch.warp * kLanes + b)) continue;
      report(place, kind, {old, block_, a}, {touch, block_, b});
      return false;
    }
  return false;
}

bool Racecheck::all_ordered(const WordAccess& old, const WordAccess& touch) const {
  if (old.warp != touch.warp && order_.unsynchronised()) return false;
  if (old.warp == touch.warp && old.lanes == touch.lanes && std::has_single_bit(old.lanes)) return true;
  for (uint32_t lanes = old.lanes; lanes; lanes &= lanes - 1)
    for (uint32_t others = touch.lanes; others; others &= others - 1)
      if (!order_.ordered(old.warp * kLanes + first_lane_of(lanes), old.time,
                          touch.warp * kLanes + first_lane_of(others)))
        return false;
  return true;
}

void Racecheck::check_past(const Place& place, const WordAccess& touch) {
  for (const int32_t index : place.global->past) {
    if (index < 0) continue;
    const Past& past = pasts_[static_cast<size_t>(index)];
    const WordAccess& old = past.touch;
    if (past.block == block_ || !(old.bytes & touch.bytes)) continue;
    if ((old.role == Role::Read && touch.role == Role::Read) || (old.strong && touch.strong)) continue;
    if (old.value_known && touch.value_known && old.bytes == touch.bytes && old.value == touch.value) continue;
    const auto acquired = acquired_until_.find(past.block);
    if (acquired != acquired_until_.end() && past.moment < acquired->second) continue;
    const FindingKind kind =
        old.role == Role::Read || touch.role == Role::Read ? FindingKind::ReadWriteRace : FindingKind::WriteWriteRace;
    report(place, kind, {old, past.block, first_lane_of(old.lanes)}, {touch, block_, first_lane_of(touch.lanes)});
  }
}

void Racecheck::keep_past(GlobalCell& cell, const WordAccess& touch) {
  int32_t& index = cell.past[static_cast<size_t>(touch.role)];
  if (index < 0) {
    index = static_cast<int32_t>(pasts_.size());
    pasts_.emplace_back();
  }
  pasts_[static_cast<size_t>(index)] = {block_, moment_, touch};
}

void Racecheck::keep(Cell& cell, const WordAccess& touch, bool supersedes_all) {
  if (supersedes_all) cell.reads = cell.writes = -1;
  int32_t& head = touch.role == Role::Read ? cell.reads : cell.writes;
  if (merge(head, touch)) return;
  touches_.push_back(touch);
  touches_.back().next = head;
  head = static_cast<int32_t>(touches_.size()) - 1;
}

/// Adds the lanes to a touch of the list that is the same but for them, or puts the touch in the place of a read of
/// its warp that it supersedes.
bool Racecheck::merge(int32_t head, const WordAccess& touch) {
  constexpr int kLongest = 64;
  int length = 0;
  for (int32_t i = head; i >= 0 && length < kLongest; i = touches_[i].next, ++length) {
    WordAccess& old = touches_[i];
    if (old.warp != touch.warp || old.bytes != touch.bytes || old.role != touch.role || old.strong != touch.strong)
      continue;
    if (old.time == touch.time && old.value == touch.value && old.value_known == touch.value_known) {
      old.lanes |= touch.lanes;
      return true;
    }
    if (touch.role != Role::Read || !all_ordered(old, touch)) continue;
    const int32_t next = old.next;
    old = touch;
    old.next = next;
    return true;
  }
  return false;
}

void Racecheck::check_flights(const Place& place, const WordAccess& touch) {
  for (int32_t i = place.cell.flights; i >= 0; i = flights_[i].touch.next) {
    const WordAccess& flight = flights_[i].touch;
    if (flight.role == Role::Read && touch.role == Role::Read) continue;
    if (flight.bytes & touch.bytes)
      report(place, FindingKind::AsyncCopyRace, {flight, block_, first_lane_of(flight.lanes)},
             {touch, block_, first_lane_of(touch.lanes)});
  }
}

void Racecheck::take_off(const Place& place, const WordAccess& touch) {
  for_each_lane(touch.lanes, [&](uint32_t lane) {
    Flight flight{place.address / 4, touch};
    flight.touch.lanes = 1u << lane;
    flight.touch.next = place.cell.flights;
    place.cell.flights = static_cast<int32_t>(flights_.size());
    copies_[touch.warp * kLanes + lane].open.push_back(place.cell.flights);
    flights_.push_back(flight);
  });
}

void Racecheck::bulk_copy(const trace::BulkCopy& copy) {
  const uint32_t thread = copy.at.warp * kLanes + first_lane_of(copy.at.active);
  std::vector<int32_t>& open = copies_[thread].open;
  const size_t before = open.size();
  for (const trace::BulkCopy::Piece& piece : *copy.pieces) {
    const AccessKind writes = AccessKind::AsyncCopyWrite, reads = AccessKind::AsyncCopyRead;
    touch_piece(copy.at, Space::Shared, copy.to_shared ? writes : reads, piece.shared, piece.bytes);
    if (piece.global != trace::BulkCopy::kNowhere)
      touch_piece(copy.at, Space::Global, copy.to_shared ? reads : writes, piece.global, piece.bytes);
  }
  CopyGroup group(open.begin() + static_cast<ptrdiff_t>(before), open.end());
  open.resize(before);
  if (copy.to_shared)
    awaited_.push_back({copy.at, std::move(group)});
  else
    bulk_stores_[thread].open.insert(bulk_stores_[thread].open.end(), group.begin(), group.end());
}

/// Four warps multiply together: where one of them has waited for a product, all have read what they read.
void Racecheck::product_read(const trace::ProductRead& read) {
  Products& products = products_[read.at.warp / ptx::kWarpsOfGroup];
  const size_t number = product_groups_[read.at.warp];
  trace::Step at = read.at;
  at.active &= ~(at.active - 1);
  std::vector<int32_t>& open = copies_[at.warp * kLanes + first_lane_of(at.active)].open;
  const size_t before = open.size();
  for (const trace::ProductRead::Piece& piece : *read.pieces)
    touch_piece(at, Space::Shared, AccessKind::ProductRead, piece.shared, piece.bytes);
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
    // What the other warps read of it ended when the first had waited.
    if (i < products.landed)
      for (const int32_t flight : group) unlink(flight);
    else
      land_as(group, multiplying_warp(), number % kLanes, kProducts | number);
  }
  products.landed = std::max(products.landed, end);
  Channel& channel = channel_at(kProducts | number);
  for_each_lane(sync.at.active, [&](uint32_t lane) { acquire(channel, sync.at.warp * kLanes + lane); });
}

void Racecheck::touch_piece(const trace::Step& at, Space space, AccessKind kind, uint64_t begin, uint64_t bytes) {
  trace::Access access;
  access.at = at;
  access.space = space;
  access.kind = kind;
  WordAccess touch = touch_of(access);
  touch.lanes = at.active;
  touch.bytes = 0xf;  // Multiples of 16 bytes; an element at the tensor's edge may be half a word.
  for (uint64_t word = begin & ~uint64_t{3}; word < begin + bytes; word += 4) touch_word(access, word, touch);
}

void Racecheck::landed(const trace::Landing& landing) {
  const auto is_it = [&](const Awaited& each) {
    return each.at.warp == landing.at.warp && each.at.warp_step == landing.at.warp_step &&
           each.at.active == landing.at.active;
  };
  for (const Awaited& each : awaited_)
    if (is_it(each)) land_by_itself(each.group, landing.barrier);
  std::erase_if(awaited_, is_it);
}

/// The copies that the lanes have under way are those that their arrival waits for.
void Racecheck::await_copies(const trace::Sync& sync) {
  Awaited awaited{sync.at, {}};
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
  while (*link != flight) link = &flights_[*link].touch.next;
  *link = flights_[flight].touch.next;
  flights_[flight].landed = true;
}

/// Written by nobody's access: the lane of the copying warp that stands for the mbarrier hands it to who waits for that.
void Racecheck::land_by_itself(const CopyGroup& group, uint32_t barrier) {
  land_as(group, copying_warp(), barrier / 8 % kLanes, kSharedBarrier | barrier);
}

void Racecheck::land_as(const CopyGroup& group, uint32_t warp, uint32_t lane, uint64_t channel) {
  for (int32_t index : group) {
    if (flights_[index].landed) continue;
    unlink(index);
    WordAccess touch = flights_[index].touch;
    touch.value = touch.warp * kLanes + first_lane_of(touch.lanes);
    touch.warp = warp;
    touch.lanes = 1u << lane;
    touch.time = order_.now(warp);
    Cell& cell = shared_[flights_[index].word];
    enter_era(cell);
    keep(cell, touch, false);
  }
  release(channel_at(channel), warp * kLanes + lane);
}

void Racecheck::land(const CopyGroup& group, uint32_t time) {
  for (int32_t index : group) {
    if (flights_[index].landed) continue;
    unlink(index);
    Cell& cell = shared_[flights_[index].word];
    WordAccess touch = flights_[index].touch;
    touch.time = time;
    enter_era(cell);
    keep(cell, touch, false);
  }
}

void Racecheck::sync(const trace::Sync& sync) {
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
    case SyncKind::MbarrierWait: return use_mbarrier(sync);
    case SyncKind::MbarrierTry: return;
  }
}

void Racecheck::arrive(const trace::Sync& sync) {
  Arrivals& arrivals = arrivals_[sync.id];
  arrivals.whole_block |= facts_.is_block_barrier(sync.at.pc);
  for_each_lane(sync.at.active, [&](uint32_t lane) {
    const uint32_t thread = sync.at.warp * kLanes + lane;
    if (!arrivals.whole_block) order_.release(arrivals.clock, thread);
    if (sync.kind == SyncKind::BarrierArrive) arrivals.waiting.push_back(thread);
  });
}

void Racecheck::barrier_complete(uint32_t, uint32_t id) {
  const Arrivals arrivals = std::move(arrivals_[id]);
  arrivals_.erase(id);
  if (arrivals.whole_block || arrivals.waiting.size() == facts_.threads()) {
    order_.block_barrier();
    touches_.clear();
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

void Racecheck::use_mbarrier(const trace::Sync& sync) {
  const ptx::Instruction* at = facts_.instruction(sync.at.pc);
  if (at && at->op == ptx::Op::CpAsyncMbarrierArrive) await_copies(sync);
  Channel& channel = channel_at(kSharedBarrier | sync.id);
  for_each_lane(sync.at.active, [&](uint32_t lane) {
    const uint32_t thread = sync.at.warp * kLanes + lane;
    sync.kind == SyncKind::MbarrierArrive ? release(channel, thread) : acquire(channel, thread);
  });
}

/// An atomic or volatile access as a flag: it acquires what the word carries, and a fenced or releasing one adds to it.
void Racecheck::use_flag(const trace::Access& access) {
  if (!trace::is_atomic(access.kind) && !access.is_volatile) return;
  constexpr uint64_t kSharedKey = uint64_t{1} << 62;
  const bool released_here = releases(facts_.instruction(access.at.pc));
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
  if (channel.block != block_) {
    channel.block = block_;
    channel.clock.clear();
  }
  return channel;
}

void Racecheck::release(Channel& channel, uint32_t thread) {
  order_.release(channel.clock, thread);
  for (const auto& [block, moment] : acquired_until_)
    channel.released_until[block] = std::max(channel.released_until[block], moment);
  channel.released_until[block_] = ++moment_;
}

void Racecheck::acquire(Channel& channel, uint32_t thread) {
  order_.acquire(channel.clock, thread);
  for (const auto& [block, moment] : channel.released_until)
    acquired_until_[block] = std::max(acquired_until_[block], moment);
}

void Racecheck::report(const Place& place, FindingKind kind, const Side& old, const Side& now) {
  const auto site = [&](const Side& side) {
    const bool by_itself = side.touch.warp >= copying_warp();
    const uint32_t thread = by_itself ? side.touch.value : side.touch.warp * kLanes + side.lane;
    Site s = facts_.site_at(side.touch.pc, side.block, thread / kLanes, thread % kLanes);
    s.access = side.touch.kind;
    const ptx::Instruction* at = facts_.instruction(side.touch.pc);
    s.bulk = at && ptx::class_of(at->op) == ptx::OpClass::BulkCopy;
    return s;
  };
  // The write first, of two writes the plain one, then the one earlier in the program; but a copy in flight before all.
  const bool keep_order = kind == FindingKind::AsyncCopyRace ||
                          std::tuple(old.touch.role != Role::Write, old.touch.role == Role::Read, old.touch.pc) <=
                              std::tuple(now.touch.role != Role::Write, now.touch.role == Role::Read, now.touch.pc);
  Finding f;
  f.checker = Checker::Racecheck;
  f.kind = kind;
  f.site = site(keep_order ? old : now);
  f.other = site(keep_order ? now : old);
  f.space = place.access.space;
  f.address = place.address + first_lane_of(old.touch.bytes & now.touch.bytes);
  f.bytes = place.access.bytes;
  if (const Allocation* array = facts_.array_at(f.space, f.address)) f.array = array->name;
  f.element = facts_.element_at(f.space, f.address, f.bytes);
  log_.add(std::move(f));
}

}  // namespace tilescope::analysis
