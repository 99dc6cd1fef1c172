#include "clock/data_path.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/access_rules.h"
#include "arch/arch.h"
#include "base/arithmetic.h"
#include "sass/opcode_table.h"

namespace tilescope::clock {
namespace {

using machine::Access;
using machine::AccessKind;
using sass::Opcode;

uint32_t global_wavefronts(const Access& access) {
  return std::max(1u, analysis::global_wavefronts(access.addresses.data(), access.lanes, access.bytes));
}

/// Lines that one of L1's banks of tags looks up for a load, at most.
uint32_t tag_clocks(const Request& load) {
  std::array<uint32_t, analysis::kTagBanks> banks{};
  for (uint32_t i = 0; i < load.lines.count; ++i)
    for (uint32_t word = 0; word < (load.kind == Request::Kind::LocalLoad ? load.words : 1); ++word)
      ++banks[analysis::tag_bank(load.lines.use[i].number + word)];
  return std::ranges::max(banks);
}

/// Of the access's lanes without bank conflicts.
uint32_t ideal_wavefronts(const Access& access) {
  return std::max(1u,
                  analysis::shared_cost(access.addresses.data(), access.lanes, access.bytes, true).ideal_wavefronts());
}

uint32_t shared_wavefronts(const Access& access, const sass::Instruction& in) {
  const bool is_load = access.kind == AccessKind::Load && in.opcode == Opcode::LDS;
  uint32_t wavefronts =
      std::max(1u, analysis::shared_cost(access.addresses.data(), access.lanes, access.bytes, is_load).wavefronts);
  if (access.kind == AccessKind::Load || access.kind == AccessKind::Store) return wavefronts;
  // Atomics of one bank follow one another, whether their words are the same or not.
  std::array<uint32_t, arch::kBanks> lanes{};
  for (uint32_t rest = access.lanes; rest; rest &= rest - 1)
    ++lanes[access.addresses[static_cast<size_t>(std::countr_zero(rest))] / arch::kBankBytes % arch::kBanks];
  return std::max(wavefronts, *std::max_element(lanes.begin(), lanes.end()));
}

/// cp.async reads global memory, and what comes back is stored to shared memory: past L1 line by line.
uint32_t copy_wavefronts(const Access& from, const Access& to, bool bypasses_l1, const Lines& lines) {
  if (!bypasses_l1)
    return global_wavefronts(from) + analysis::shared_cost(to.addresses.data(), to.lanes, to.bytes, false).wavefronts;
  uint32_t wavefronts = 0;
  for (uint32_t i = 0; i < lines.count; ++i) {
    uint32_t lanes = 0;
    for (uint32_t rest = from.lanes & to.lanes; rest; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      if (from.addresses[lane] / arch::kLineBytes == lines.use[i].number) lanes |= 1u << lane;
    }
    wavefronts += std::max(1u, analysis::shared_cost(to.addresses.data(), lanes, arch::kBankBytes, false).wavefronts);
  }
  return std::max(1u, wavefronts);
}

/// Threads' words of local memory lie side by side, each warp's by itself, far from every array. Of each lane the first
/// word; the others are in the next lines.
Access placed_local(Access access, uint32_t slot) {
  access.bytes = std::min<uint8_t>(access.bytes, arch::kBankBytes);
  for (uint32_t lane = 0; lane < machine::kLanes; ++lane)
    access.addresses[lane] = (uint64_t{1} << 60) + (uint64_t{slot} << 32) +
                             access.addresses[lane] / arch::kBankBytes * arch::kLineBytes + lane * arch::kBankBytes;
  return access;
}

/// Whether a store writes all bytes of its sectors.
bool is_whole(const Access& access, const Lines& lines) {
  uint32_t sectors = 0;
  for (uint32_t i = 0; i < lines.count; ++i) sectors += static_cast<uint32_t>(std::popcount(lines.use[i].sectors));
  return static_cast<uint64_t>(std::popcount(access.lanes)) * access.bytes >= sectors * arch::kSectorBytes;
}

}  // namespace

bool is_queued(const sass::Instruction& in) {
  switch (in.opcode) {
    case Opcode::LDGDEPBAR:
    case Opcode::MEMBAR:
    case Opcode::ERRBAR:
    case Opcode::CGAERRBAR:
    case Opcode::CCTL:
    case Opcode::FENCE_VIEW_ASYNC: return false;
    default: return in.pipe == sass::Pipe::Memory;
  }
}

bool uses_global_queue(const sass::Instruction& in) {
  switch (in.opcode) {
    case Opcode::LDS:
    case Opcode::STS:
    case Opcode::LDSM:
    case Opcode::STSM:
    case Opcode::ATOMS:
    case Opcode::ATOMS_POPC:
    case Opcode::SHFL: return false;
    default: return in.pipe == sass::Pipe::Memory;
  }
}

Request request_of(const sass::Instruction& in, const machine::Issue& issue, uint32_t slot) {
  using Kind = Request::Kind;
  Request request;
  request.slot = slot;
  request.reader.pc = issue.pc;
  request.is_global = uses_global_queue(in);
  if (in.opcode == Opcode::SHFL) {
    request.kind = Kind::Shuffle;
    return request;
  }
  const Access& access = issue.access[0];
  request.words = std::max(1u, access.bytes / arch::kBankBytes);
  if (issue.accesses == 0 || access.lanes == 0) {
    request.kind = in.opcode == Opcode::LDGSTS ? Kind::Copy : Kind::Nothing;
    return request;
  }
  if (access.space == Space::Shared) {
    request.kind = Kind::Shared;
    request.rank = access.rank;
    request.wavefronts = shared_wavefronts(access, in);
    request.conflicts = request.wavefronts - std::min(request.wavefronts, ideal_wavefronts(access));
    return request;
  }
  if (access.space == Space::Local) {
    const Access placed = placed_local(access, slot);
    request.kind = access.kind == AccessKind::Store ? Kind::LocalStore : Kind::LocalLoad;
    request.lines = lines_of(placed);
    request.wavefronts = request.words * global_wavefronts(placed);
    request.is_whole = is_whole(placed, request.lines);
    return request;
  }
  request.lines = lines_of(access);
  if (in.opcode == Opcode::LDGSTS) {
    request.kind = Kind::Copy;
    if (in[sass::Field::Bypass] == 0) request.way = MemoryPath::Way::CopyPastL1;
    request.wavefronts = copy_wavefronts(access, issue.access[1], request.way != MemoryPath::Way::L1, request.lines);
    return request;
  }
  request.wavefronts = global_wavefronts(access);
  switch (access.kind) {
    case AccessKind::Load:
      request.kind = Kind::Load;
      if (in[sass::Field::Order] >= machine::kStrongOrder) request.way = MemoryPath::Way::PastL1;
      break;
    case AccessKind::Store:
      request.kind = Kind::Store;
      request.is_whole = is_whole(access, request.lines);
      break;
    default:
      request.kind = Kind::Atomic;
      request.word_use = word_use_of(access, sass::is_float_atomic(in.opcode));
  }
  return request;
}

namespace {

bool is_load(const Request& request) {
  return request.kind == Request::Kind::Load || request.kind == Request::Kind::LocalLoad;
}

}  // namespace

DataPath::DataPath(const SmModel& model, uint64_t l1_bytes, std::vector<ArraySharing> arrays, uint32_t sms)
    : model_(model), memory_(model, l1_bytes, std::move(arrays), sms) {}

void DataPath::enqueue(uint32_t scheduler, const Request& request) {
  Waiting& waiting = queues_[2 * scheduler + request.is_global].push();
  waiting.request = request;
  waiting.ready = request.issued + static_cast<int64_t>(model_.enqueue);
}

double DataPath::begin_bulk(const Reader& reader, const machine::BulkCopy& copy, double now) {
  debt_ += static_cast<double>(copy.bytes) / arch::kLineBytes;
  return memory_.bulk(reader, copy, now) + model_.bulk_copy;
}

double DataPath::receive_bulk(const machine::BulkCopy& copy, double now) {
  debt_ += static_cast<double>(copy.bytes) / arch::kLineBytes;
  return memory_.receive(copy.bytes, now) + model_.bulk_copy;
}

double DataPath::earliest(const Waiting& waiting) const {
  const auto places = static_cast<size_t>(model_.path_queue);
  const bool loads = is_load(waiting.request);
  const double path = loads                      ? free_ + coming_cost_ - model_.load_ahead
                      : waiting_.size() < places ? 0
                                                 : waiting_[waiting_.size() - places];
  return std::max({static_cast<double>(waiting.ready), path, loads ? tags_free_ : 0});
}

double DataPath::last_of(uint32_t scheduler, double now, double clocks) const {
  return std::max(std::max(free_, now) + clocks - 1,
                  std::max(ports_[scheduler], now) + model_.scheduler_pace * (clocks - 1));
}

void DataPath::use(const Request& request, double now, double clocks) {
  const uint32_t scheduler = request.slot % kSchedulers;
  // Wavefronts of conflicts follow one another as one warp's do; those of several words do not wait for other warps'.
  const bool has_conflicts = request.wavefronts > request.words;
  ports_[scheduler] = std::max(ports_[scheduler], now) + (has_conflicts ? model_.scheduler_pace : 1) * clocks;
  free_ = std::max(free_, now) + clocks;
  busy_ += clocks;
}

const DataPath::Served* DataPath::serve(int64_t clock) {
  const auto now = static_cast<double>(clock);
  const bool is_late_there = !coming_.empty() && coming_.front().clock <= now;
  if (is_late_there && free_ < now + 1) {
    const auto& [arrived, cost, request] = coming_.front();
    const uint32_t scheduler = request.slot % kSchedulers;
    served_.request = request;
    served_.back = last_of(scheduler, now, cost);
    served_.turn = Served::Turn::Second;
    use(request, now, cost);
    coming_cost_ -= cost;
    coming_.pop();
    return &served_;
  }
  for (uint32_t i = 0; i < queues_.size(); ++i) {
    const uint32_t at = (turn_ + i) % queues_.size();
    Ring<Waiting>& queue = queues_[at];
    if (queue.empty() || earliest(queue.front()) >= now + 1) continue;
    if (queue.front().request.is_global && memory_.is_backed_up(now)) continue;
    if (is_late_there && !is_load(queue.front().request)) continue;
    served_.request = queue.front().request;
    served_.turn = Served::Turn::Only;
    queue.pop();
    served_in_turn_ = at == turn_ % queues_.size() ? served_in_turn_ + 1 : 1;
    turn_ = at;
    if (served_in_turn_ >= (served_.request.kind == Request::Kind::Store ? model_.store_turn : model_.path_turn)) {
      ++turn_;
      served_in_turn_ = 0;
    }
    // What copies and barriers cost comes between requests, or while there are none.
    debt_ = std::max(0.0, debt_ - std::max(0.0, now - free_));
    const double paid = std::min(debt_, 1.0);
    debt_ -= paid;
    const uint32_t scheduler = at / 2;
    use(served_.request, now, cost_of(served_, now, scheduler) + paid);
    waiting_.push_back(free_);
    while (!waiting_.empty() && waiting_.front() <= now) waiting_.pop_front();
    return &served_;
  }
  return nullptr;
}

/// Clocks of the data path. Sets when the request's data is there.
double DataPath::cost_of(Served& served, double now, uint32_t scheduler) {
  const double begin = std::max(free_, now);
  const Request& request = served.request;
  double cost = request.wavefronts;
  uint32_t missed = 0;
  switch (request.kind) {
    case Request::Kind::Nothing: served.back = begin + model_.shared_load; break;
    case Request::Kind::Shuffle:
      served.back = begin + model_.shuffle;
      cost = model_.shuffle_path;
      break;
    case Request::Kind::Shared:
      cost -= (1 - model_.shared_conflicts) * request.conflicts;
      memory_.traffic.shared_wavefronts += request.wavefronts;
      if (request.rank != machine::Access::kOwnBlock) {
        cluster_free_ = std::max(cluster_free_, begin) + model_.cluster_path * request.wavefronts;
        served.back = cluster_free_ + model_.cluster_load;
        cost = 1;
        break;
      }
      if (request.words >= 2 * request.wavefronts) {
        // Two registers come at a time. Each takes the place of an FMA's result in its bank, and waits for one.
        const double fmas = fmas_[scheduler].part(static_cast<int64_t>(now));
        cost += cost * model_.pair_path * std::max(0.0, fmas - model_.pair_from) / (1 - model_.pair_from);
      }
      served.back = last_of(scheduler, now, cost) + model_.shared_load +
                    (request.words > 1 ? model_.shared_wide * (cost - 1) : 0);
      break;
    case Request::Kind::LocalLoad:
      tags_free_ = std::max(tags_free_, now) + model_.tag_line * tag_clocks(request);
      served.back = std::max(memory_.load_local(request.lines, request.words, now),
                             last_of(scheduler, now, cost) + model_.l1_hit);
      break;
    case Request::Kind::LocalStore:
      cost += model_.store_path;
      served.back = memory_.store_local(request.lines, request.words, now, request.is_whole);
      break;
    case Request::Kind::Load: {
      const double last = memory_.load(request.reader, request.lines, now, request.way, missed);
      tags_free_ = std::max(tags_free_, now) + std::max(model_.tag_line * tag_clocks(request), model_.global_request);
      if (missed > request.wavefronts) cost += model_.split_line * (missed - request.wavefronts);
      served.back = std::max(last, last_of(scheduler, now, cost) + model_.l1_hit);
      if (cost >= model_.late_wavefronts && last > begin + cost + model_.l1_hit) {
        Coming& coming = coming_.push();
        coming.clock = last;
        coming.cost = cost;
        coming.request = request;
        coming_cost_ += cost;
        served.turn = Served::Turn::First;
        memory_.traffic.wavefronts += static_cast<uint64_t>(cost);
        return 0;
      }
      break;
    }
    case Request::Kind::Store:
      cost += model_.store_path;
      served.back = memory_.store(request.lines, now, request.is_whole);
      break;
    case Request::Kind::Atomic:
      served.back = memory_.atomic(request.reader, request.lines, request.word_use, now);
      break;
    case Request::Kind::Copy:
      if (request.lines.count == 0) {
        served.back = now;
      } else {
        const double last = memory_.load(request.reader, request.lines, now, request.way, missed);
        served.back = std::max(last, begin + cost + model_.l1_hit);
      }
      break;
  }
  memory_.traffic.wavefronts += request.kind == Request::Kind::Shuffle ? 1 : static_cast<uint64_t>(cost);
  return cost;
}

bool DataPath::is_empty() const {
  return coming_.empty() &&
         std::all_of(queues_.begin(), queues_.end(), [](const Ring<Waiting>& queue) { return queue.empty(); });
}

int64_t DataPath::next_clock(int64_t now, int64_t period_end) const {
  int64_t next = std::numeric_limits<int64_t>::max();
  if (!coming_.empty())
    next = std::max(static_cast<int64_t>(std::ceil(std::max(coming_.front().clock, free_ - 1))), now + 1);
  for (const Ring<Waiting>& queue : queues_)
    if (!queue.empty()) {
      const int64_t begin = std::max(static_cast<int64_t>(earliest(queue.front())), now + 1);
      const bool waits_longer = queue.front().request.is_global && begin < period_end;
      next = std::min(next, waits_longer ? std::max(begin, std::min(memory_.takes_more_from(), period_end)) : begin);
    }
  return next;
}

}  // namespace tilescope::clock
