#include "clock/sm.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <queue>
#include <utility>

#include "arch/arch.h"
#include "base/arithmetic.h"
#include "base/turns.h"
#include "clock/data_path.h"
#include "clock/register_banks.h"
#include "clock/warp_slots.h"
#include "machine/fault.h"
#include "sass/opcode_table.h"

namespace tilescope::clock {
namespace {

using sass::Opcode;
using sass::Pipe;

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr uint32_t kScoreboards = 6;

/// The instruction cache: lines of 128 bytes, the oldest of which make room. It is empty at first.
class CodeCache {
 public:
  CodeCache(const SmModel& model, size_t instructions)
      : lines_(static_cast<uint64_t>(model.code_bytes / arch::kLineBytes)),
        fetched_(instructions * sass::kInstructionBytes / arch::kLineBytes + 1, 0) {}

  /// Whether the instruction's line is there, or on its way.
  bool has(uint32_t pc) const {
    const uint64_t fetched = fetched_[pc * sass::kInstructionBytes / arch::kLineBytes];
    return fetched != 0 && (keeps_all() || fetches_ - fetched < lines_);
  }
  void fetch(uint32_t pc) { fetched_[pc * sass::kInstructionBytes / arch::kLineBytes] = ++fetches_; }
  /// Whether no line makes room for another.
  bool keeps_all() const { return fetched_.size() <= lines_; }

 private:
  uint64_t lines_ = 0, fetches_ = 0;
  std::vector<uint64_t> fetched_;  // When each line was, counted in fetches; 0 never.
};

/// The cache of constants. It is empty at first, and keeps what has come.
class ConstantCache {
 public:
  ConstantCache(const SmModel& model, const std::vector<sass::Instruction>& code) : model_(model), lines_(code.size()) {
    for (size_t pc = 0; pc < code.size(); ++pc)
      for (const sass::Operand* operand : {&code[pc].a, &code[pc].b, &code[pc].c}) {
        const bool is_fixed = operand->kind == sass::Operand::Kind::Constant && !operand->bindless &&
                              !operand->indexed_by_uniform && operand->index == sass::kZeroRegister;
        if (is_fixed) lines_[pc] = {true, operand->bank, static_cast<uint32_t>(operand->offset) / kLine};
      }
  }

  /// The clock from which on the instruction's constants are there.
  double there(uint32_t pc, double now) {
    Line& line = lines_[pc];
    if (!line.is_awaited) return now;
    // The parameters come with the launch; other constants are in memory.
    const double latency = line.bank == 0 ? model_.first_constant : model_.l2_hit + model_.dram;
    const double clock = comes_.try_emplace({line.bank, line.number}, now + latency).first->second;
    if (clock <= now) line.is_awaited = false;
    return clock;
  }

 private:
  static constexpr uint32_t kLine = 64;  // Bytes; assumed.
  struct Line {
    bool is_awaited = false;
    uint32_t bank = 0, number = 0;
  };
  const SmModel& model_;
  std::vector<Line> lines_;  // By instruction, the last one that it reads.
  std::map<std::pair<uint32_t, uint32_t>, double> comes_;
};

struct Scoreboard {
  uint16_t pending = 0;
  bool is_long = false;  ///< What it waits for comes from L1, L2 or DRAM.
};

/// A group of cp.async that its warp has committed.
struct CopyGroup {
  uint32_t queued = 0;  ///< Its copies, and earlier ones, that the data path has not served.
  uint8_t scoreboard = 0;
};

struct SmWarp {
  bool is_there = false;
  uint32_t block = 0, index = 0;  ///< Place of its block on the SM, its number in the block.
  uint64_t life = 0;              ///< Which of the warps that had this slot it is.
  uint64_t age = 0;               ///< Warps that started before it.
  /// It has issued since it last yielded or waited for a scoreboard, a constant or others: it goes before those that
  /// have not.
  bool keeps_turn = false;
  int64_t throttled = kNever;  ///< Since when its next instruction has waited for a place in a queue.
  Stall state = Stall::Misc;
  int64_t since = 0;      ///< When that state began.
  uint32_t state_pc = 0;  ///< The instruction that it is about.
  std::array<Scoreboard, kScoreboards> scoreboards{};
  uint32_t copies_queued = 0;
  double copies_done = 0;
  std::vector<CopyGroup> copy_groups;
  uint32_t queued = 0;                 ///< Its requests that the data path has not served.
  bool waits_for_queue = false;        ///< At a fence, or after its exit.
  bool waits_for_warps = false;        ///< At a barrier, or for the others of its warp group.
  double drained = 0;                  ///< When what it has stored will have left the SM.
  double products_done = 0;            ///< When the warp group's products will be.
  std::vector<double> product_groups;  ///< When the committed ones will be, ascending.
};

struct ResidentBlock {
  std::optional<machine::Block> block;
  uint64_t index = 0;  ///< In the grid.
  uint64_t issued = 0, started = 0;
  uint64_t noted = 0;                 ///< Of `issued`, what the paces have.
  uint32_t alive = 0;                 ///< Warps.
  double cluster_done = 0;            ///< When the cluster's barrier will be, for all that have arrived.
  std::vector<uint32_t> phase_waits;  ///< Slots of warps that wait for an mbarrier.
};

/// A bulk copy under way.
struct Landing {
  double clock = 0;
  uint32_t place = 0;    ///< Of the block on the SM.
  uint64_t started = 0;  ///< Which of the blocks of that place.
  uint32_t slot = 0, pc = 0;
  int64_t issued = 0;
  machine::BulkCopy copy;
  bool operator<(const Landing& other) const { return clock > other.clock; }
};

/// A scoreboard is released. A copy has none: its group has, later.
struct Release {
  int64_t clock = 0;
  uint32_t slot = 0;
  uint64_t life = 0;
  uint8_t scoreboard = 0;
  uint32_t pc = 0;
  int64_t issued = 0;
  bool is_data = false;  ///< What a load, an atomic or a copy asked for is there.
  bool operator<(const Release& other) const { return clock > other.clock; }
};

/// Warps of a scheduler whose next instructions need the same of it and lack nothing else: its pipes, its queues, their
/// turn.
struct Group {
  uint32_t warps = 0;   ///< Bit for each of the scheduler's.
  uint32_t joined = 0;  ///< Of these, those that do not have its state yet.
  Stall state = Stall::Misc;
};

struct Scheduler {
  int64_t earliest = kNever;   ///< None of its warps issues before.
  int64_t free_from = kNever;  ///< Nor do groups that wait for its pipes; kNever: there are none.
  std::vector<Group> groups;   ///< By what they need: a pipe, a way to memory, or a product's width; fewer than 64.
  uint64_t filled = 0;         ///< Bit for each group with warps,
  uint64_t waiting = 0;        ///< those that wait for a place in a queue.
  uint32_t warps = 0;          ///< Bit for each, there or not,
  uint32_t grouped = 0;        ///< those that are in a group,
  uint32_t moved = 0;          ///< those that may be at another instruction than their state's,
  uint32_t leaving = 0;        ///< those whose threads have all exited.
  uint32_t last = ~0u;         ///< Slot that issued last.
  std::array<int64_t, 16> pipe_free{};  ///< By Pipe.
  int64_t dispatch_free = 0;            ///< From then on an instruction can be dispatched.
  RegisterBanks banks;
};

/// A product of a warp group.
bool is_product(const sass::Instruction& in) { return in.opcode == Opcode::HGMMA || in.opcode == Opcode::HGMMA_R; }

/// Its result has 64 bits, of which it gives all or the upper half.
bool is_wide_product(const sass::Instruction& in) {
  return in.opcode == Opcode::IMAD_WIDE || in.opcode == Opcode::IMAD_HI;
}

/// Its address is a pair of registers.
bool reads_wide_address(const sass::Instruction& in) {
  return is_queued(in) && uses_global_queue(in) && in.address.wide;
}

/// What an instruction needs of its scheduler.
struct Needs {
  Pipe pipe = Pipe::None;
  bool is_queued = false, is_global = false;  ///< For the data path, in the queue to global memory.
  bool is_product = false;
  bool takes_pipe = true;
  int64_t ahead = 0;  ///< So many clocks before the pipe is free it can issue.
  bool operator==(const Needs&) const = default;
};
Needs needs_of(const sass::Instruction& in) {
  return {.pipe = in.pipe,
          .is_queued = is_queued(in),
          .is_global = uses_global_queue(in),
          .is_product = is_product(in),
          .takes_pipe = in.opcode != Opcode::WARPGROUP};
}

/// What the schedulers ask of an instruction in every clock.
struct Facts {
  uint8_t wait_mask = 0;
  bool is_wait = false;  ///< For a scoreboard's count, or for products.
  uint32_t needs = 0;    ///< Its place among what instructions need.
  uint8_t stall = 0;     ///< Clocks until the warp's next instruction at the earliest.
};

class Cluster;

/// One SM. Of a cluster there are several, each with the blocks of one rank.
class Sm {
 public:
  /// `clock`: the cluster's.
  Sm(const SmModel& model, const SmWork& work, Cluster& cluster, const int64_t& clock, SmObserver* observer)
      : model_(model),
        work_(work),
        cluster_(cluster),
        now_(clock),
        observer_(observer),
        code_(work.launch->program().code()),
        path_(model, work.l1_bytes, work.arrays, work.sms),
        code_cache_(model, code_.size()),
        constants_(model, code_),
        warps_per_block_(work.launch->warps_per_block()),
        blocks_(work.resident),
        warps_(size_t{work.resident} * warps_per_block_),
        next_(warps_.size(), kNever),
        waited_for_(warps_.size()),
        period_end_(static_cast<int64_t>(std::ceil(model.period))) {
    for (const sass::Instruction& in : code_) {
      Needs needs = needs_of(in);
      if (needs.is_product) needs.ahead = static_cast<int64_t>(model_.group_queue * pace(in));
      const auto same = std::ranges::find(needs_, needs);
      facts_.push_back({.wait_mask = in.control.wait_mask,
                        .is_wait = in.opcode == Opcode::DEPBAR || in.opcode == Opcode::WARPGROUP,
                        .needs = static_cast<uint32_t>(same - needs_.begin()),
                        .stall = std::max<uint8_t>(in.control.stall, in.control.yield ? 2 : 1)});
      if (same == needs_.end()) needs_.push_back(needs);
    }
    for (Scheduler& scheduler : schedulers_) {
      scheduler.groups.resize(needs_.size());
      scheduler.banks = RegisterBanks(static_cast<int64_t>(model.operand_window));
    }
    for (uint32_t slot = 0; slot < warps_.size(); ++slot) schedulers_[slot % kSchedulers].warps |= bit_of(slot);
    run_.stalls_by_pc.assign(code_.size() * kStalls, 0);
  }

  /// What happens in this clock. Whether anything did.
  bool step() {
    if (now_ >= period_end_) {
      const auto period = static_cast<int64_t>(static_cast<double>(now_) / model_.period);
      period_end_ = static_cast<int64_t>(std::ceil(static_cast<double>(period + 1) * model_.period));
      path_.begin_period(waiting_share() * work_.resident / static_cast<double>(work_.blocks_of_sm()));
    }
    land_copies();
    release_scoreboards();
    bool busy = serve();
    for (uint32_t s = 0; s < kSchedulers; ++s) busy |= schedule(s);
    if (!run_.steady_from &&
        (run_.blocks_done >= work_.resident || run_.issued >= std::min(work_.instructions, work_.first_round) / 2)) {
      run_.steady_from = now_;
      run_.issued_before = run_.issued;
      run_.traffic_before = path_.traffic(static_cast<double>(now_));
      for (ResidentBlock& resident : blocks_) resident.noted = resident.issued;
      noted_ = now_;
    }
    return busy;
  }
  const std::optional<Diagnostic>& fault() const { return fault_; }
  uint64_t issued() const { return run_.issued; }
  bool is_idle() const { return blocks_alive_ == 0 && path_.is_empty(); }

  /// What the clocks up to now came to; `blocks_all`: of this SM.
  SmRun finish(uint64_t blocks_all) {
    for (uint32_t slot = 0; slot < warps_.size(); ++slot)
      if (warps_[slot].is_there) begin_state(slot, Stall::Misc, now_);
    run_.blocks_all = blocks_all;
    run_.clocks = now_;
    note_paces();
    for (size_t i = 0; i < run_.paces.size(); ++i) run_.paces[i] = ratio(run_.paces[i], pace_clocks_[i]);
    for (const ResidentBlock* resident : oldest_first())
      run_.under_way.push_back(static_cast<double>(resident->issued));
    run_.afterwards = std::max(0.0, std::max(stores_done_, retired_) - static_cast<double>(now_));
    run_.traffic = path_.traffic(static_cast<double>(run_.clocks));
    run_.data_path_busy = path_.busy(static_cast<double>(run_.clocks));
    return std::move(run_);
  }

  int64_t next_clock() const {
    int64_t next = path_.next_clock(now_, period_end_);
    if (!landings_.empty())
      next = std::min(next, std::max(static_cast<int64_t>(std::ceil(landings_.top().clock)), now_ + 1));
    if (!releases_.empty()) next = std::min(next, std::max(releases_.top().clock, now_ + 1));
    for (uint32_t s = 0; s < kSchedulers; ++s) {
      const Scheduler& scheduler = schedulers_[s];
      if (scheduler.free_from < kNever) next = std::min(next, std::clamp(scheduler.free_from, now_ + 1, period_end_));
      for (uint32_t slot = s; slot < next_.size() && scheduler.earliest < next; slot += kSchedulers)
        if (next_[slot] > now_) next = std::min(next, next_[slot]);
    }
    return next;
  }

  // ---- Blocks

  bool is_free(uint32_t place) const { return blocks_[place].alive == 0; }

  /// `started`: blocks of this SM, this one included.
  machine::Block* start_block(uint32_t place, uint64_t index, uint64_t started) {
    note_paces();
    const bool is_first = started <= work_.resident;
    double start = is_first ? first_free_ : retired_ + model_.block_start;
    ResidentBlock& resident = blocks_[place];
    resident.block.emplace(*work_.launch, index);
    resident.block->follow_clock();
    resident.phase_waits.clear();
    resident.started = started;
    resident.index = index;
    resident.issued = resident.noted = 0;
    resident.cluster_done = 0;
    resident.alive = warps_per_block_;
    ++blocks_alive_;
    for (uint32_t w = 0; w < warps_per_block_; ++w) {
      const uint32_t slot = slot_of_warp(place, w, warps_per_block_);
      SmWarp& warp = warps_[slot];
      const uint64_t life = warp.life + 1;
      warp = {};
      warp.is_there = true;
      warp.block = place;
      warp.index = w;
      warp.life = life;
      warp.age = warps_started_++;
      if (is_first && static_cast<double>(warp.age) == model_.quick_warps) start = std::max(start, model_.later_warps);
      warp.state = Stall::NoInstruction;
      warp.since = static_cast<int64_t>(start);
      look_where_it_is(slot);
      go_on(slot, static_cast<int64_t>(std::max(start + model_.warp_code, is_first ? model_.first_code : 0)));
      start += is_first ? model_.first_warp_pace : model_.warp_pace;
    }
    if (is_first) first_free_ = start + model_.first_block_pace;
    if (observer_) observer_->on_block(now_, place * warps_per_block_, index, true);
    return &*resident.block;
  }

  // ---- What the other SMs of the cluster do to this one

  /// A bulk copy has come to the block in that place.
  void land(uint32_t place, const machine::BulkCopy& copy) {
    blocks_[place].block->land(copy);
    end_phase_waits(place, model_.shared_load);
  }
  /// Is under way to it, asked for by another SM: when it is there.
  double receive(const machine::BulkCopy& copy) { return path_.receive_bulk(copy, static_cast<double>(now_)); }
  void lend(uint32_t wavefronts) { path_.lend(wavefronts); }
  /// An mbarrier of the block has changed: its warps ask again.
  void end_phase_waits(uint32_t place, double latency) {
    ResidentBlock& resident = blocks_[place];
    for (const uint32_t slot : resident.phase_waits)
      release_at(static_cast<double>(now_) + latency, slot, waited_for_[slot], warps_[slot].state_pc, now_);
    resident.phase_waits.clear();
  }
  /// Warps whose barrier has been released since they arrived go on.
  void wake(uint32_t place) {
    for (uint32_t w = 0; w < warps_per_block_; ++w) {
      const uint32_t slot = place * warps_per_block_ + w;
      SmWarp& warp = warps_[slot];
      look_where_it_is(slot);
      if (!warp.is_there || !warp.waits_for_warps) continue;
      if (blocks_[place].block->state(warp.index) != machine::WarpState::Ready) continue;
      warp.waits_for_warps = false;
      if (code_[warp.state_pc].opcode == Opcode::UCGABAR_WAIT)
        go_on(slot, clock_of(blocks_[place].cluster_done));
      else
        go_on(slot, warp.state == Stall::Barrier ? barrier_end() : now_ + 1);
    }
  }
  void let_cluster_pass(uint32_t place, double clock) { blocks_[place].cluster_done = clock; }

 private:
  std::vector<ResidentBlock*> oldest_first() {
    std::vector<ResidentBlock*> blocks;
    for (ResidentBlock& resident : blocks_)
      if (resident.alive > 0) blocks.push_back(&resident);
    std::ranges::sort(blocks, {}, &ResidentBlock::started);
    return blocks;
  }
  /// What the blocks have issued since one last came or went.
  void note_paces() {
    if (!run_.steady_from) return;
    const std::vector<ResidentBlock*> blocks = oldest_first();
    run_.paces.resize(std::max(run_.paces.size(), blocks.size()));
    pace_clocks_.resize(run_.paces.size());
    const bool is_full = blocks.size() == blocks_.size();
    for (size_t i = 0; i < blocks.size(); ++i) {
      const uint64_t issued = blocks[i]->issued - std::exchange(blocks[i]->noted, blocks[i]->issued);
      if (!is_full) continue;
      run_.paces[i] += static_cast<double>(issued);
      pace_clocks_[i] += static_cast<double>(now_ - noted_);
    }
    noted_ = now_;
  }
  /// Of the clocks of warps so far, but for those at barriers, in which they wait for memory.
  double waiting_share() const {
    const auto of = [&](Stall stall) { return run_.stalls[static_cast<size_t>(stall)]; };
    const double all =
        std::accumulate(run_.stalls.begin(), run_.stalls.end(), 0.0) - of(Stall::Barrier) - of(Stall::Misc);
    return all > 0 ? of(Stall::LongScoreboard) / all : 1;
  }
  Sm& of_rank(uint32_t rank);
  void end_warp(uint32_t slot);

  // ---- States of warps

  /// The state that the warp had ends at that clock, and another one begins.
  void begin_state(uint32_t slot, Stall state, int64_t clock) {
    SmWarp& warp = warps_[slot];
    if (clock > warp.since) {
      const int64_t clocks = clock - warp.since;
      run_.stalls[static_cast<size_t>(warp.state)] += static_cast<double>(clocks);
      run_.stalls_by_pc[warp.state_pc * kStalls + static_cast<size_t>(warp.state)] += static_cast<uint64_t>(clocks);
      if (observer_) observer_->on_state(slot, warp.state, warp.since, clock, warp.state_pc);
    }
    warp.state = state;
    warp.since = clock;
    if (ends_turn(state)) warp.keeps_turn = false;
  }
  static bool ends_turn(Stall state) {
    return state == Stall::LongScoreboard || state == Stall::ShortScoreboard || state == Stall::Barrier ||
           state == Stall::ImcMiss || state == Stall::Membar;
  }
  void stall(uint32_t slot, Stall state) {
    if (warps_[slot].state != state) begin_state(slot, state, now_);
  }

  // ---- Groups of warps

  static uint32_t bit_of(uint32_t slot) { return 1u << slot / kSchedulers; }
  static uint32_t slot_of(uint32_t s, uint32_t bits) {
    return s + static_cast<uint32_t>(std::countr_zero(bits)) * kSchedulers;
  }
  /// The place of the warp's group among the scheduler's.
  uint32_t group_of(uint32_t slot) const { return facts_[warps_[slot].state_pc].needs; }
  void join_group(Scheduler& scheduler, uint32_t slot) {
    const uint32_t at = group_of(slot);
    scheduler.groups[at].warps |= bit_of(slot);
    scheduler.groups[at].joined |= bit_of(slot);
    scheduler.filled |= uint64_t{1} << at;
    scheduler.waiting &= ~(uint64_t{1} << at);
    scheduler.grouped |= bit_of(slot);
    next_[slot] = kNever;
  }
  void leave_group(Scheduler& scheduler, uint32_t slot) {
    const uint32_t at = group_of(slot);
    scheduler.groups[at].warps &= ~bit_of(slot);
    scheduler.groups[at].joined &= ~bit_of(slot);
    if (scheduler.groups[at].warps == 0) scheduler.filled &= ~(uint64_t{1} << at);
    scheduler.grouped &= ~bit_of(slot);
  }
  /// That state begins for those of the group's warps that do not have it.
  void stall(uint32_t s, Group& group, Stall state) {
    for (uint32_t rest = group.state == state ? group.joined : group.warps; rest; rest &= rest - 1) {
      const uint32_t slot = slot_of(s, rest);
      stall(slot, state);
      if (state == Stall::MioThrottle || state == Stall::LgThrottle)
        warps_[slot].throttled = std::min(warps_[slot].throttled, now_);
    }
    group.state = state;
    group.joined = 0;
  }
  /// The warp may have moved.
  void look_where_it_is(uint32_t slot) {
    Scheduler& scheduler = schedulers_[slot % kSchedulers];
    scheduler.moved |= bit_of(slot);
    if (scheduler.grouped & bit_of(slot)) scheduler.earliest = std::min(scheduler.earliest, now_);
  }

  /// The warp issues next at that clock at the earliest; kNever: an event must come first.
  void go_on(uint32_t slot, int64_t clock) {
    next_[slot] = clock;
    int64_t& earliest = schedulers_[slot % kSchedulers].earliest;
    earliest = std::min(earliest, clock);
  }

  // ---- Scoreboards

  void take(SmWarp& warp, uint8_t scoreboard, bool is_long) {
    if (scoreboard >= kScoreboards) return;
    Scoreboard& taken = warp.scoreboards[scoreboard];
    taken.is_long = is_long || (taken.pending > 0 && taken.is_long);
    ++taken.pending;
  }
  /// The first clock after this one in which that has happened.
  int64_t clock_of(double clock) const { return std::max(now_ + 1, static_cast<int64_t>(std::ceil(clock))); }
  void release_at(double clock, uint32_t slot, uint8_t scoreboard, uint32_t pc, int64_t issued, bool is_data = false) {
    if (scoreboard >= kScoreboards) return;
    releases_.push({clock_of(clock), slot, warps_[slot].life, scoreboard, pc, issued, is_data});
  }
  void release_scoreboards() {
    while (!releases_.empty() && releases_.top().clock <= now_) {
      const Release release = releases_.top();
      releases_.pop();
      SmWarp& warp = warps_[release.slot];
      if (!warp.is_there || warp.life != release.life) continue;
      if (release.scoreboard < kScoreboards) {
        --warp.scoreboards[release.scoreboard].pending;
        const bool waits = next_[release.slot] == kNever && !warp.waits_for_warps && !warp.waits_for_queue;
        if (waits) go_on(release.slot, now_);
      }
      if (observer_ && release.is_data) observer_->on_arrival(release.issued, now_, release.slot, release.pc);
    }
  }

  int array_of(uint64_t address) const { return work_.memory ? work_.memory->find(address, 1) : -1; }

  // ---- Bulk copies, mbarriers, products of warp groups

  void begin_copy(uint32_t place, uint32_t slot);
  void land_copies();
  void multiply(SmWarp& warp, const sass::Instruction& in, double last_turn) {
    warp.products_done = last_turn + model_.group_product;
    constexpr uint8_t kNoGroup = 7;
    if (in[sass::Field::Group] != kNoGroup) warp.product_groups.push_back(warp.products_done);
  }
  /// When the warp has no more than that many groups of products under way.
  double products_within(const SmWarp& warp, size_t most) const {
    return warp.product_groups.size() > most ? warp.product_groups[warp.product_groups.size() - 1 - most] : 0;
  }

  // ---- The data path

  bool serve() {
    const auto now = static_cast<double>(now_);
    const double path_begin = std::max(path_.free_from(), now), l2_begin = std::max(path_.l2_free(), now);
    const DataPath::Served* served = path_.serve(now_);
    if (served && observer_) {
      observer_->on_busy(SmUnit::DataPath, path_begin, path_.free_from() - path_begin);
      observer_->on_busy(SmUnit::L2, l2_begin, std::max(0.0, path_.l2_free() - l2_begin));
    }
    if (!served) return false;
    const Request& request = served->request;
    look_again(request.slot % kSchedulers);
    if (request.rank != machine::Access::kOwnBlock)
      of_rank(static_cast<uint32_t>(request.rank)).lend(request.wavefronts);
    if (request.kind == Request::Kind::Store || request.kind == Request::Kind::Atomic)
      stores_done_ = std::max(stores_done_, served->back);
    if (request.is_global) memory_done_ = std::max(memory_done_, served->back);
    SmWarp& warp = warps_[request.slot];
    if (!warp.is_there || warp.life != request.life) return true;
    if (request.kind == Request::Kind::Store) warp.drained = now + model_.drain;
    if (served->turn != DataPath::Served::Turn::Second) --warp.queued;
    if (warp.waits_for_queue && warp.queued == 0) end_queue_wait(request.slot);
    if (served->turn == DataPath::Served::Turn::First) return true;
    if (request.kind == Request::Kind::Copy) {
      finish_copy(warp, request, served->back);
    } else {
      const uint8_t scoreboard = code_[request.reader.pc].control.write_scoreboard;
      release_at(served->back, request.slot, scoreboard, request.reader.pc, request.issued, true);
    }
    return true;
  }

  void finish_copy(SmWarp& warp, const Request& request, double done) {
    warp.copies_done = std::max(warp.copies_done, done);
    --warp.copies_queued;
    if (observer_)
      releases_.push(
          {clock_of(done), request.slot, request.life, sass::kNoScoreboard, request.reader.pc, request.issued, true});
    for (CopyGroup& group : warp.copy_groups) {
      if (--group.queued > 0) continue;
      release_at(warp.copies_done, request.slot, group.scoreboard, request.reader.pc, request.issued);
    }
    std::erase_if(warp.copy_groups, [](const CopyGroup& group) { return group.queued == 0; });
  }

  // ---- The schedulers

  bool schedule(uint32_t s) {
    Scheduler& scheduler = schedulers_[s];
    if (scheduler.earliest > now_) return false;
    for (uint32_t rest = scheduler.leaving; rest; rest &= rest - 1)
      if (const uint32_t slot = slot_of(s, rest); next_[slot] <= now_) end_warp(slot);
    int64_t earliest = kNever;
    // Those in groups lack nothing, unless they have moved, or their code has left the cache.
    const uint32_t sure = scheduler.grouped & (code_cache_.keeps_all() ? ~scheduler.moved : 0);
    for (uint32_t rest = scheduler.warps & ~sure; rest; rest &= rest - 1) {
      const uint32_t slot = slot_of(s, rest);
      if (scheduler.grouped & bit_of(slot)) {
        const bool lacks_nothing = !(scheduler.moved & bit_of(slot)) && code_cache_.has(warps_[slot].state_pc);
        if (lacks_nothing || scheduler.waiting >> group_of(slot) & 1) continue;
        leave_group(scheduler, slot);
      } else if (next_[slot] > now_) {
        earliest = std::min(earliest, next_[slot]);
        continue;
      }
      SmWarp& warp = warps_[slot];
      if (scheduler.moved & bit_of(slot)) {
        scheduler.moved &= ~bit_of(slot);
        if (const uint32_t pc = blocks_[warp.block].block->next_pc(warp.index); warp.state_pc != pc) {
          begin_state(slot, warp.state, now_);
          warp.state_pc = pc;
        }
      }
      if (const Stall why = what_lacks(slot); why == Stall::Selected)
        join_group(scheduler, slot);
      else
        stall(slot, why);
      earliest = std::min(earliest, next_[slot]);
    }
    uint32_t ready = 0;
    scheduler.free_from = kNever;
    for (uint64_t rest = scheduler.filled & ~scheduler.waiting; rest; rest &= rest - 1) {
      const auto at = static_cast<uint32_t>(std::countr_zero(rest));
      if (const Stall why = obstacle(scheduler, s, at); why == Stall::Selected)
        ready |= scheduler.groups[at].warps;
      else
        stall(s, scheduler.groups[at], why);
    }
    scheduler.earliest = std::min(earliest, scheduler.free_from);
    if (ready != 0) {
      const uint32_t chosen = choose(s, ready);
      if (const int64_t wait = scheduler.banks.read(now_, chosen, code_[warps_[chosen].state_pc])) {
        hold(s, chosen, ready, now_ + wait);
        return false;
      }
      leave_group(scheduler, chosen);
      for (uint64_t rest = scheduler.filled; rest; rest &= rest - 1)
        if (Group& group = scheduler.groups[static_cast<size_t>(std::countr_zero(rest))]; group.warps & ready)
          stall(s, group, Stall::NotSelected);
      // What issues now may be in the way of those that could as well, or that wait for pipes.
      if (ready != bit_of(chosen) || scheduler.free_from < kNever) scheduler.earliest = now_;
      scheduler.last = chosen;
      issue(s, chosen);
    }
    return ready != 0;
  }

  /// The warp's instruction waits for registers until then, and with it all that could issue.
  void hold(uint32_t s, uint32_t slot, uint32_t ready, int64_t until) {
    Scheduler& scheduler = schedulers_[s];
    scheduler.last = slot;
    scheduler.dispatch_free = until;
    freeze(s, until - now_);
    scheduler.free_from = std::min(scheduler.free_from, until);
    scheduler.earliest = std::min(scheduler.earliest, until);
    for (uint64_t rest = scheduler.filled; rest; rest &= rest - 1)
      if (Group& group = scheduler.groups[static_cast<size_t>(std::countr_zero(rest))]; group.warps & ready)
        stall(s, group, Stall::DispatchStall);
  }

  /// The scheduler dispatches nothing for so many clocks: stall counts stand still, too.
  void freeze(uint32_t s, int64_t clocks) {
    const Scheduler& scheduler = schedulers_[s];
    for (uint32_t rest = clocks > 0 ? scheduler.warps & ~scheduler.grouped : 0; rest; rest &= rest - 1) {
      const uint32_t slot = slot_of(s, rest);
      if (warps_[slot].state == Stall::Wait && next_[slot] > now_ && next_[slot] < kNever) next_[slot] += clocks;
    }
  }

  /// Why a group's warps cannot issue now; Selected if one can. `at`: its place among the scheduler's.
  Stall obstacle(Scheduler& scheduler, uint32_t s, uint32_t at) {
    const Needs& needs = needs_[at];
    if (needs.is_queued && !path_.has_room(s, needs.is_global)) {
      scheduler.waiting |= uint64_t{1} << at;
      return path_.is_shared_full(s) ? Stall::MioThrottle : Stall::LgThrottle;
    }
    const auto wait_until = [&](int64_t clock, Stall why) {
      scheduler.free_from = std::min(scheduler.free_from, clock);
      return why;
    };
    int64_t free = scheduler.pipe_free[static_cast<size_t>(needs.pipe)] - needs.ahead;
    if (needs.pipe == Pipe::Fma) free = std::min(free, scheduler.pipe_free[static_cast<size_t>(Pipe::FmaHeavy)]);
    if (needs.takes_pipe && free > now_) {
      if (needs.is_product) return wait_until(free, Stall::MioThrottle);
      if (needs.pipe == Pipe::Constant || needs.pipe == Pipe::Special) return wait_until(free, Stall::MioThrottle);
      if (needs.pipe != Pipe::Memory) return wait_until(free, Stall::MathPipeThrottle);
      return wait_until(free, needs.is_global ? Stall::LgThrottle : Stall::MioThrottle);
    }
    if (scheduler.dispatch_free > now_) return wait_until(scheduler.dispatch_free, Stall::DispatchStall);
    return Stall::Selected;
  }

  /// Which of what the warp's next instruction needs is not there yet, but for its scheduler's pipes and queues;
  /// Selected: none. Then it stays so, unless the instruction leaves the cache.
  Stall what_lacks(uint32_t slot) {
    SmWarp& warp = warps_[slot];
    int64_t& next = next_[slot];
    const uint32_t pc = warp.state_pc;
    if (!code_cache_.has(pc)) {
      code_cache_.fetch(pc);
      next = now_ + static_cast<int64_t>(model_.code_line);
      return Stall::NoInstruction;
    }
    if (const double there = constants_.there(pc, static_cast<double>(now_)); there > static_cast<double>(now_)) {
      next = clock_of(there);
      return Stall::ImcMiss;
    }
    const Facts& facts = facts_[pc];
    for (uint32_t waits = facts.wait_mask; waits; waits &= waits - 1) {
      const Scoreboard& scoreboard = warp.scoreboards[static_cast<size_t>(std::countr_zero(waits))];
      if (scoreboard.pending == 0) continue;
      next = kNever;
      return scoreboard.is_long ? Stall::LongScoreboard : Stall::ShortScoreboard;
    }
    if (!facts.is_wait) return Stall::Selected;
    const sass::Instruction& in = code_[pc];
    if (in.opcode == Opcode::DEPBAR && in.immediate0 < kScoreboards &&
        warp.scoreboards[in.immediate0].pending > in.immediate1) {
      next = kNever;
      return Stall::LongScoreboard;
    }
    if (in.opcode == Opcode::WARPGROUP && in[sass::Field::Operation] == 1) {
      if (const double done = products_within(warp, in.immediate1); done > static_cast<double>(now_)) {
        next = static_cast<int64_t>(std::ceil(done));
        return Stall::Barrier;
      }
      std::erase_if(warp.product_groups, [&](double done) { return done <= static_cast<double>(now_); });
    }
    return Stall::Selected;
  }

  /// The warp that issued last goes on while it can; then those that keep their turn; then the oldest. But places in a
  /// queue that was full go to the warp that has waited for one longest, unless what comes next is a store. Seen in
  /// Nsight Compute's samples of each instruction (tests/clock/README.md).
  uint32_t choose(uint32_t s, uint32_t ready) const {
    const uint32_t last = schedulers_[s].last;
    const bool goes_on = last < warps_.size() && (ready & bit_of(last)) && warps_[last].keeps_turn;
    const auto goes_first = [](const SmWarp& a, const SmWarp& b) {
      return a.keeps_turn != b.keeps_turn ? a.keeps_turn : a.age < b.age;
    };
    uint32_t chosen = goes_on ? last : slot_of(s, ready);
    for (uint32_t rest = goes_on ? 0 : ready; rest; rest &= rest - 1)
      if (goes_first(warps_[slot_of(s, rest)], warps_[chosen])) chosen = slot_of(s, rest);
    const sass::Instruction& next = code_[warps_[chosen].state_pc];
    if (!is_queued(next) || next.opcode == Opcode::STG) return chosen;
    uint32_t longest = chosen;
    for (uint32_t rest = ready; rest; rest &= rest - 1)
      if (warps_[slot_of(s, rest)].throttled < warps_[longest].throttled) longest = slot_of(s, rest);
    return longest;
  }

  // ---- Issue

  void issue(uint32_t s, uint32_t slot) {
    SmWarp& warp = warps_[slot];
    Scheduler& scheduler = schedulers_[s];
    ResidentBlock& resident = blocks_[warp.block];
    const uint32_t pc = warp.state_pc;
    const sass::Instruction& in = code_[pc];
    begin_state(slot, Stall::Selected, now_);
    warp.throttled = kNever;
    warp.keeps_turn = !in.control.yield;
    resident.block->set_clock(static_cast<uint64_t>(now_));
    resident.block->step(warp.index, issue_);
    ++run_.issued;
    ++resident.issued;
    if (resident.block->fault()) {
      fault_ = machine::error_of(*resident.block->fault(), work_.sources, work_.memory);
      return;
    }
    begin_state(slot, Stall::Wait, now_ + 1);
    // An FMA goes to the other half of the pipe if its own is not free.
    const bool is_elsewhere = in.pipe == Pipe::Fma && scheduler.pipe_free[static_cast<size_t>(Pipe::Fma)] > now_;
    int64_t& pipe_free = scheduler.pipe_free[static_cast<size_t>(is_elsewhere ? Pipe::FmaHeavy : in.pipe)];
    if (in.opcode != Opcode::WARPGROUP)
      pipe_free = (is_product(in) ? std::max(pipe_free, now_) : now_) + static_cast<int64_t>(pace(in));
    if (observer_ && (in.pipe == Pipe::Tensor || is_product(in)))
      observer_->on_busy(SmUnit::TensorCores, static_cast<double>(pipe_free) - pace(in), pace(in));
    if (in.pipe == Pipe::Constant) pipe_free = load_constants();
    const auto wide = static_cast<int64_t>(is_wide_product(in) ? model_.wide_dispatch : 0);
    const auto address = static_cast<int64_t>(reads_wide_address(in) ? model_.address_dispatch : 0);
    freeze(s, wide);
    scheduler.dispatch_free = now_ + 1 + wide + address;
    if (in.pipe == Pipe::Fma || in.pipe == Pipe::FmaHeavy) {
      run_.fma_busy += pace(in) / 2;
      path_.note_fma(s, now_);
    }
    go_on(slot, now_ + wide + std::max<int64_t>(facts_[pc].stall, 1 + address));
    if (issue_.copies) begin_copy(warp.block, slot);
    if (is_product(in)) multiply(warp, in, static_cast<double>(pipe_free));
    if (issue_.awaits_phase) {
      take(warp, in.control.write_scoreboard, true);
      waited_for_[slot] = in.control.write_scoreboard;
      resident.phase_waits.push_back(slot);
    } else if (is_queued(in))
      enqueue(s, slot, in);
    else if (in.opcode == Opcode::LDGDEPBAR)
      commit_copies(slot, in);
    else if (in.opcode == Opcode::MEMBAR)
      fence(slot, in);
    else
      take_scoreboards(slot, in);
    if (issue_.flow == machine::Issue::Flow::Branch) {
      next_[slot] = std::max(next_[slot], now_ + static_cast<int64_t>(model_.branch));
      warp.state = Stall::BranchResolving;
    }
    if (in.opcode == Opcode::BSYNC && next_[slot] < kNever) {
      next_[slot] = std::max(next_[slot], now_ + static_cast<int64_t>(model_.converge));
      warp.state = Stall::BranchResolving;
    }
    if (issue_.sleep > 0) {
      next_[slot] = std::max(next_[slot], now_ + issue_.sleep);
      warp.state = Stall::Misc;
    }
    const machine::WarpState state = resident.block->state(warp.index);
    if (in.opcode == Opcode::UCGABAR_WAIT)
      wait_for_cluster(slot, state);
    else if (issue_.at_barrier)
      arrive(slot, state);
    look_where_it_is(slot);
    if (in.opcode == Opcode::BAR || in.opcode == Opcode::EXIT)
      for (uint32_t w = 0; w < warps_per_block_; ++w) look_where_it_is(warp.block * warps_per_block_ + w);
    tell_cluster(in, warp.block);
    if (in.opcode == Opcode::SYNCS_ARRIVE || in.opcode == Opcode::ARRIVES)
      end_phase_waits(warp.block, model_.shared_load);
    if (issue_.at_barrier || state == machine::WarpState::Done || in.pipe == Pipe::WarpGroup) wake(warp.block);
    if (state == machine::WarpState::Done) leave(slot);
  }

  /// The scheduler's queues have changed: those that wait for a place look again.
  void look_again(uint32_t s) {
    if (std::exchange(schedulers_[s].waiting, 0) != 0) schedulers_[s].earliest = now_;
  }

  void enqueue(uint32_t s, uint32_t slot, const sass::Instruction& in) {
    SmWarp& warp = warps_[slot];
    Request request = request_of(in, issue_, slot);
    request.life = warp.life;
    if (request.lines.count > 0) request.reader.array = array_of(request.lines.use[0].number * arch::kLineBytes);
    request.issued = now_;
    if (request.kind == Request::Kind::Copy)
      ++warp.copies_queued;
    else
      take(warp, in.control.write_scoreboard, request.is_global);
    take(warp, in.control.read_scoreboard, false);
    const double words = in.d.is_register() ? 0 : request.words;
    release_at(static_cast<double>(now_) + model_.operand_read + model_.operand_word * words, slot,
               in.control.read_scoreboard, request.reader.pc, now_);
    ++warp.queued;
    path_.enqueue(s, request);
    look_again(s);
  }

  /// The warp goes on when all that it has done to memory is seen. Within a block it is at once.
  void fence(uint32_t slot, const sass::Instruction& in) {
    constexpr uint8_t kBlock = 0;
    if (in[sass::Field::Scope] == kBlock) return;
    wait_for_queue(slot, Stall::Membar);
  }
  /// All its threads have exited; its place is free when what it has stored is on its way.
  void leave(uint32_t slot) { wait_for_queue(slot, Stall::Drain); }
  void wait_for_queue(uint32_t slot, Stall state) {
    SmWarp& warp = warps_[slot];
    warp.state = state;
    next_[slot] = kNever;
    warp.waits_for_queue = true;
    if (warp.queued == 0) end_queue_wait(slot);
  }
  void end_queue_wait(uint32_t slot) {
    SmWarp& warp = warps_[slot];
    warp.waits_for_queue = false;
    const auto now = static_cast<double>(now_);
    if (warp.state == Stall::Drain) {
      schedulers_[slot % kSchedulers].leaving |= bit_of(slot);
      return go_on(slot, clock_of(std::max(now + model_.exit, warp.drained)));
    }
    fences_done_ = std::max(fences_done_, now) + model_.membar_warp;
    go_on(slot, clock_of(memory_done_ > now ? end_of_fences(memory_done_) : fences_done_ + model_.membar));
  }
  /// Fences that wait for memory end together; those that come meanwhile begin when these have ended.
  double end_of_fences(double begin) {
    const auto now = static_cast<double>(now_);
    if (fences_end_ <= now) fences_end_ = std::exchange(next_fences_end_, 0);
    if (fences_end_ <= now) return fences_end_ = begin + model_.membar;
    next_fences_end_ = std::max(next_fences_end_, std::max(fences_end_, begin) + model_.membar);
    return next_fences_end_;
  }

  void commit_copies(uint32_t slot, const sass::Instruction& in) {
    SmWarp& warp = warps_[slot];
    const uint8_t scoreboard = in.control.write_scoreboard < kScoreboards ? in.control.write_scoreboard : 0;
    take(warp, scoreboard, true);
    if (warp.copies_queued > 0)
      warp.copy_groups.push_back({warp.copies_queued, scoreboard});
    else
      release_at(std::max(static_cast<double>(now_), warp.copies_done), slot, scoreboard, issue_.pc, now_);
  }

  /// The SM finds one address after the other for all its schedulers. When it has those of this LDC.
  int64_t load_constants() {
    constants_free_ =
        std::max(constants_free_, static_cast<double>(now_)) + model_.constant_pace * std::max(1u, issue_.constants);
    return static_cast<int64_t>(std::ceil(constants_free_));
  }
  void take_scoreboards(uint32_t slot, const sass::Instruction& in) {
    SmWarp& warp = warps_[slot];
    const auto now = static_cast<double>(now_);
    take(warp, in.control.write_scoreboard, false);
    const double served = in.pipe == Pipe::Constant ? constants_free_ - model_.constant_pace : now;
    release_at(served + latency(in), slot, in.control.write_scoreboard, issue_.pc, now_);
    take(warp, in.control.read_scoreboard, false);
    const double read = in.opcode == Opcode::UTMACMDFLUSH ? bulk_stores_read_ : 0;
    release_at(std::max(now + model_.operand_read, read), slot, in.control.read_scoreboard, issue_.pc, now_);
  }

  // ---- Barriers. The SM takes one warp's arrival after the other.

  void arrive(uint32_t slot, machine::WarpState state) {
    if (code_[issue_.pc].pipe == Pipe::WarpGroup) {
      warps_[slot].state = Stall::Barrier;
      next_[slot] = kNever;
      warps_[slot].waits_for_warps = true;
      return;
    }
    path_.arrive_at_barrier();
    arrivals_done_ = std::max(arrivals_done_, static_cast<double>(now_)) + model_.barrier_warp;
    SmWarp& warp = warps_[slot];
    warp.state = Stall::Barrier;
    warp.waits_for_warps = state == machine::WarpState::AtBarrier;
    go_on(slot, state == machine::WarpState::AtBarrier ? kNever : barrier_end());
  }
  /// Where all have arrived the warp does not know it at once.
  void wait_for_cluster(uint32_t slot, machine::WarpState state) {
    SmWarp& warp = warps_[slot];
    warp.state = Stall::Barrier;
    warp.waits_for_warps = state == machine::WarpState::AtBarrier;
    go_on(slot, warp.waits_for_warps ? kNever : std::max(next_[slot], clock_of(blocks_[warp.block].cluster_done)));
  }
  /// What the instruction means to the other SMs of the cluster.
  void tell_cluster(const sass::Instruction& in, uint32_t place);
  int64_t barrier_end() const {
    return static_cast<int64_t>(std::max(arrivals_done_, static_cast<double>(now_)) + model_.barrier);
  }

  // ---- Figures of the model by instruction

  double pace(const sass::Instruction& in) const {
    switch (in.pipe) {
      case Pipe::Fma: return model_.heavy_pace;
      case Pipe::FmaHeavy: return is_wide_product(in) ? model_.wide_pace : model_.heavy_pace;
      case Pipe::Half: return model_.half_pace;
      case Pipe::Fp64: return model_.fp64_pace;
      case Pipe::Alu: return model_.alu_pace;
      case Pipe::Xu: return model_.xu_pace;
      case Pipe::Tensor: return in.opcode == Opcode::DMMA ? pace_of_doubles(in) : model_.tensor_pace;
      case Pipe::Uniform: return model_.uniform_pace;
      case Pipe::WarpGroup:
        return in.opcode == Opcode::WARPGROUP ? 1 : model_.group_column * 8 * (in[sass::Field::Shape] % 32u + 1);
      case Pipe::Memory: return model_.queue_pace;
      case Pipe::Special: return model_.special_pace;
      default: return 1;
    }
  }
  double pace_of_doubles(const sass::Instruction& in) const {
    return model_.double_product_pace * sass::inner_of_doubles(in);
  }
  double latency(const sass::Instruction& in) const {
    switch (in.pipe) {
      case Pipe::Constant: return model_.constant_load;
      case Pipe::Special: return model_.special;
      case Pipe::Fp64: return model_.fp64;
      case Pipe::Tensor: return in.opcode == Opcode::DMMA ? model_.fp64 + pace_of_doubles(in) : model_.tensor;
      default: return model_.xu;
    }
  }

  const SmModel& model_;
  const SmWork& work_;
  Cluster& cluster_;
  const int64_t& now_;
  SmObserver* observer_;
  const std::vector<sass::Instruction>& code_;
  int64_t noted_ = 0;                ///< When the paces were last.
  std::vector<double> pace_clocks_;  ///< In which there were so many blocks.
  DataPath path_;
  CodeCache code_cache_;
  ConstantCache constants_;
  uint32_t warps_per_block_;
  std::vector<ResidentBlock> blocks_;
  std::vector<SmWarp> warps_;
  /// By slot the clock of its next issue at the earliest; kNever while an event must come first, or without a warp.
  std::vector<int64_t> next_;
  std::vector<Needs> needs_;         // Of all instructions, each once.
  std::vector<Facts> facts_;         // By pc.
  std::vector<uint8_t> waited_for_;  // By slot: the scoreboard of its question to an mbarrier.
  std::array<Scheduler, kSchedulers> schedulers_;
  std::priority_queue<Release> releases_;
  std::priority_queue<Landing> landings_;
  SmRun run_;
  uint64_t warps_started_ = 0;
  uint32_t blocks_alive_ = 0;
  int64_t period_end_ = 0;
  double first_free_ = 0;  // When the next of the first blocks starts.
  double retired_ = 0;     // When the GPU knows of all blocks that have ended.
  double arrivals_done_ = 0, fences_done_ = 0, stores_done_ = 0, memory_done_ = 0;
  double constants_free_ = 0;
  double fences_end_ = 0, next_fences_end_ = 0;
  double bulk_stores_read_ = 0;  // When shared memory may be written again from which bulk copies store.
  machine::Issue issue_;
  std::optional<Diagnostic> fault_;
};

/// The SMs that hold the blocks of a cluster by rank, which have one clock; a launch without clusters has one.
class Cluster {
 public:
  Cluster(const SmModel& model, const SmWork& work, SmObserver* observer) : work_(work) {
    for (uint64_t rank = 0; rank < work.shape.cluster.count(); ++rank)
      sms_.push_back(std::make_unique<Sm>(model, work, *this, now_, rank == 0 ? observer : nullptr));
    for (uint32_t place = 0; place < work.resident; ++place) start(place);
  }

  Result<SmRun> run() {
    constexpr uint64_t kClocksBetweenTurns = 1024;
    for (uint64_t clocks = 0;; ++clocks) {
      if (clocks % kClocksBetweenTurns == 0)
        if (const auto turn = work_.give_turn(); !turn) return turn.errors();
      bool busy = false, idle = true;
      for (const auto& sm : sms_) {
        busy |= sm->step();
        if (sm->fault()) return *sm->fault();
        idle &= sm->is_idle();
      }
      if (idle || sms_.front()->issued() >= work_.instructions) return sms_.front()->finish(work_.blocks_of_sm());
      int64_t next = now_ + 1;
      if (!busy) {
        next = kNever;
        for (const auto& sm : sms_) next = std::min(next, sm->next_clock());
      }
      if (next == kNever) return machine::error_of_deadlock();
      now_ = next;
    }
  }

  Sm& sm(uint32_t rank) { return *sms_[rank]; }
  const std::vector<std::unique_ptr<Sm>>& sms() const { return sms_; }

  /// The next cluster gets the place, if that is free on all SMs.
  void start(uint32_t place) {
    const auto is_free = [&](const auto& sm) { return sm->is_free(place); };
    if (started_ >= work_.blocks_of_sm() || !std::ranges::all_of(sms_, is_free)) return;
    const uint64_t number = next_cluster();
    run_others(number);
    ++started_;
    std::vector<machine::Block*> blocks;
    for (uint32_t rank = 0; rank < sms_.size(); ++rank)
      blocks.push_back(sms_[rank]->start_block(place, work_.shape.block_in(number, rank), started_));
    if (blocks.size() > 1) machine::Block::form_cluster(blocks);
  }

 private:
  double random() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return static_cast<double>(random_ >> 11) * 0x1p-53;
  }
  /// The first of all SMs come in turn; later ones go to whichever SMs have room.
  uint64_t next_cluster() {
    const uint64_t at_a_time = work_.clusters_at_a_time();
    const uint64_t next =
        started_ < work_.resident ? work_.first : static_cast<uint64_t>(random() * static_cast<double>(at_a_time));
    return std::min(started_ * at_a_time + next, work_.clusters() - 1);
  }

  /// Half of the blocks that other SMs start with this one are done before it, the others when its place is free again.
  void run_others(uint64_t number) {
    if (!work_.run_elsewhere) return;
    const uint64_t at_a_time = work_.clusters_at_a_time();
    const auto run_row = [&](uint64_t row, uint64_t first) {
      for (uint64_t other = row * at_a_time + first; other < std::min((row + 1) * at_a_time, work_.clusters());
           other += 2)
        if (std::ranges::find(mine_, other) == mine_.end()) work_.run_elsewhere(other);
    };
    mine_.push_back(number);
    run_row(started_, 0);
    if (started_ >= work_.resident) run_row(started_ - work_.resident, 1);
  }

  const SmWork& work_;
  std::vector<uint64_t> mine_;            // Blocks, or clusters, of this SM, while others are run.
  std::vector<std::unique_ptr<Sm>> sms_;  // By rank.
  uint64_t started_ = 0;                  // Clusters.
  int64_t now_ = 0;
  uint64_t random_ = 88172645463325252;
};

Sm& Sm::of_rank(uint32_t rank) { return cluster_.sm(rank); }

void Sm::end_warp(uint32_t slot) {
  SmWarp& warp = warps_[slot];
  begin_state(slot, Stall::Misc, now_ + 1);
  warp.is_there = false;
  next_[slot] = kNever;
  schedulers_[slot % kSchedulers].leaving &= ~bit_of(slot);
  ResidentBlock& resident = blocks_[warp.block];
  if (resident.alive == 1) note_paces();
  if (--resident.alive > 0) return;
  --blocks_alive_;
  run_.issued_by_block.resize(std::max<size_t>(run_.issued_by_block.size(), resident.started));
  run_.issued_by_block[resident.started - 1] = resident.issued;
  ++run_.blocks_done;
  retired_ = std::max(retired_ + model_.block_pace, static_cast<double>(now_));
  if (observer_) observer_->on_block(now_, warp.block * warps_per_block_, resident.index, false);
  cluster_.start(warp.block);
}

void Sm::begin_copy(uint32_t place, uint32_t slot) {
  const machine::BulkCopy& copy = issue_.copy;
  const Reader reader{issue_.pc, array_of(copy.pieces.empty() ? 0 : copy.pieces.front().global)};
  double done = path_.begin_bulk(reader, copy, static_cast<double>(now_));
  if (!copy.to_shared) {
    stores_done_ = std::max(stores_done_, done);
    bulk_stores_read_ = std::max(bulk_stores_read_, path_.bulk_stores_read());
    return;
  }
  for (uint32_t to = copy.blocks; to; to &= to - 1)
    if (Sm& other = of_rank(static_cast<uint32_t>(std::countr_zero(to))); &other != this)
      done = std::max(done, other.receive(copy));
  landings_.push({done, place, blocks_[place].started, slot, issue_.pc, now_, copy});
}

void Sm::land_copies() {
  while (!landings_.empty() && landings_.top().clock <= static_cast<double>(now_)) {
    const Landing& landing = landings_.top();
    if (blocks_[landing.place].started == landing.started) {
      for (uint32_t to = landing.copy.blocks; to; to &= to - 1)
        of_rank(static_cast<uint32_t>(std::countr_zero(to))).land(landing.place, landing.copy);
      if (observer_) observer_->on_arrival(landing.issued, now_, landing.slot, landing.pc);
    }
    landings_.pop();
  }
}

void Sm::tell_cluster(const sass::Instruction& in, uint32_t place) {
  if (in.opcode == Opcode::SYNCS_ARRIVE && in[sass::Field::Mode] == machine::kRemoteArrival)
    for (const auto& sm : cluster_.sms()) sm->end_phase_waits(place, model_.cluster_load);
  if (in.opcode == Opcode::UCGABAR_ARV) {
    arrivals_done_ = std::max(arrivals_done_, static_cast<double>(now_)) + model_.barrier_warp;
    for (const auto& sm : cluster_.sms()) sm->let_cluster_pass(place, arrivals_done_ + model_.cluster_barrier);
  }
  if (in.opcode == Opcode::UCGABAR_ARV || in.opcode == Opcode::EXIT)
    for (const auto& sm : cluster_.sms()) sm->wake(place);
}

}  // namespace

Result<std::monostate> SmWork::give_turn() const {
  let_turns_pass();
  if (cancel && cancel->load(std::memory_order_relaxed)) return error("Cancelled.");
  return std::monostate{};
}

Result<SmRun> run_sm(const SmModel& model, const SmWork& work, SmObserver* observer) {
  return Cluster(model, work, observer).run();
}

}  // namespace tilescope::clock
