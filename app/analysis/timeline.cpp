#include "analysis/timeline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analysis/finding.h"
#include "analysis/result_uses.h"
#include "base/words.h"

namespace tilescope::analysis {
namespace {
using ptx::OpClass;

std::pair<uint32_t, uint32_t> place_of(const trace::ProductRecord* read) { return {read->at.warp, read->at.warp_step}; }

StepKind kind_of_access(const ptx::Instruction& instruction, bool load) {
  switch (instruction.space) {
    case Space::Global:
    case Space::Generic: return load ? StepKind::LoadGlobal : StepKind::StoreGlobal;
    case Space::Shared: return load ? StepKind::LoadShared : StepKind::StoreShared;
    default: return StepKind::Other;
  }
}

/// The last of ascending `starts` that is at most `step`, or -1.
int32_t last_at_or_before(const std::vector<uint32_t>& starts, uint32_t step) {
  return static_cast<int32_t>(std::upper_bound(starts.begin(), starts.end(), step) - starts.begin()) - 1;
}

uint32_t neighbour(const std::vector<uint32_t>& starts, uint32_t step, int direction, uint32_t last) {
  if (direction > 0) {
    const auto after = std::upper_bound(starts.begin(), starts.end(), step);
    return after == starts.end() ? last : *after;
  }
  const auto here = std::lower_bound(starts.begin(), starts.end(), step);
  return here == starts.begin() ? 0 : *std::prev(here);
}

}  // namespace

std::string_view to_string(StepKind kind) {
  switch (kind) {
    case StepKind::Other: return tr_later("other");
    case StepKind::LoadGlobal: return tr_later("load global");
    case StepKind::AsyncCopy: return tr_later("async copy");
    case StepKind::StoreShared: return tr_later("store shared");
    case StepKind::LoadShared: return tr_later("load shared");
    case StepKind::Multiply: return tr_later("multiply-add");
    case StepKind::Barrier: return tr_later("barrier");
    case StepKind::StoreGlobal: return tr_later("store global");
  }
  return {};
}

std::string_view to_string(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::Load: return tr_later("load");
    case PhaseKind::Sync: return tr_later("sync");
    case PhaseKind::Compute: return tr_later("compute");
    case PhaseKind::Store: return tr_later("store");
  }
  return {};
}

std::string_view to_string(Unit unit) {
  switch (unit) {
    case Unit::Instruction: return tr_later("instruction");
    case Unit::Access: return tr_later("access");
    case Unit::Phase: return tr_later("phase");
    case Unit::Tile: return tr_later("k-tile");
  }
  return {};
}

StepKind kind_of(const ptx::Instruction& instruction) {
  switch (ptx::class_of(instruction.op)) {
    case OpClass::Load: return kind_of_access(instruction, true);
    case OpClass::Store:
    case OpClass::Atomic: return kind_of_access(instruction, false);
    case OpClass::AsyncCopy: return StepKind::AsyncCopy;
    case OpClass::BulkCopy: return instruction.bulk_group ? StepKind::StoreGlobal : StepKind::AsyncCopy;
    case OpClass::Barrier:
    case OpClass::BarrierArrive:
    case OpClass::ClusterWait:
    case OpClass::MbarrierWait: return StepKind::Barrier;
    case OpClass::MatrixMultiply: return StepKind::Multiply;
    case OpClass::MultiplyAdd: return ptx::is_float(instruction.type) ? StepKind::Multiply : StepKind::Other;
    default: return StepKind::Other;
  }
}

Timeline::Timeline(const ptx::Function& function, const trace::Trace& trace, const trace::InstructionLog& log)
    : log_(&log), trace_(&trace), rows_(log.warps().size()) {
  for (const ptx::Instruction& instruction : function.instructions) kinds_.push_back(kind_of(instruction));
  for (const trace::BulkRecord& copy : trace.bulk_copies()) bulk_copies_.push_back(&copy);
  std::stable_sort(bulk_copies_.begin(), bulk_copies_.end(),
                   [](const trace::BulkRecord* a, const trace::BulkRecord* b) {
                     return std::pair(a->at.warp, a->at.warp_step) < std::pair(b->at.warp, b->at.warp_step);
                   });
  for (const trace::ProductRecord& read : trace.product_reads()) product_reads_.push_back(&read);
  std::ranges::stable_sort(product_reads_, {}, place_of);
  waits_at_mbarriers_ =
      std::any_of(function.instructions.begin(), function.instructions.end(),
                  [](const ptx::Instruction& each) { return ptx::class_of(each.op) == OpClass::MbarrierWait; });
  if (waits_at_mbarriers_)
    lay_out_by_mbarriers();
  else
    lay_out(barrier_steps());
  free_between_barriers_ = waits_at_whole_barriers_alone();
  find_phases(function);
}

std::vector<std::vector<uint32_t>> Timeline::barrier_steps() const {
  std::vector<std::vector<uint32_t>> steps(rows_.size());
  for (uint32_t warp = 0; warp < rows_.size(); ++warp)
    for (const uint32_t record : trace_->warp_records(0, warp))
      if (trace_->kind(record) == trace::RecordKind::Sync &&
          trace_->sync(record).kind == trace::SyncKind::BarrierArrive)
        steps[warp].push_back(trace_->sync(record).at.warp_step);
  return steps;
}

bool Timeline::waits_at_whole_barriers_alone() const {
  std::optional<uint32_t> barrier;
  for (uint32_t warp = 0; warp < warps(); ++warp)
    for (const uint32_t record : trace_->warp_records(0, warp)) {
      if (trace_->kind(record) != trace::RecordKind::Sync) continue;
      const trace::Sync sync = trace_->sync(record);
      switch (sync.kind) {
        case trace::SyncKind::BarrierArrive:
          if (sync.at.active != sync.members || barrier.value_or(sync.id) != sync.id) return false;
          barrier = sync.id;
          break;
        case trace::SyncKind::BarrierPass:
        case trace::SyncKind::MbarrierArrive:
        case trace::SyncKind::MbarrierWait: return false;
        default: break;
      }
    }
  return true;
}

// The n-th barrier of all warps is in one slot, that of the warp with the most instructions before it.
void Timeline::lay_out(const std::vector<std::vector<uint32_t>>& barriers) {
  size_t most = 0;
  for (const auto& of_warp : barriers) most = std::max(most, of_warp.size());
  for (size_t n = 0; n <= most; ++n) {
    uint32_t longest = 0;
    for (uint32_t warp = 0; warp < warps(); ++warp) {
      if (n > barriers[warp].size()) continue;
      const uint32_t begin = n == 0 ? 0 : barriers[warp][n - 1] + 1;
      const uint32_t end = n < barriers[warp].size() ? barriers[warp][n] + 1 : steps(warp);
      rows_[warp].intervals.push_back({begin, slots_});
      rows_[warp].stretches.push_back({begin, slots_});
      longest = std::max(longest, end - begin);
    }
    slots_ += longest;
    if (n < most) barrier_lines_.push_back(slots_);
  }
}

namespace {

/// Puts the steps of warps into slots, one record after another in the order in which the block ran.
class SlotReplay {
 public:
  struct Stretch {
    uint32_t first_step = 0, slot = 0;
  };
  struct Meeting {
    std::vector<uint32_t> steps;  ///< Of each warp the step at the barrier; kNoStep for those that do not arrive.
    uint32_t end = 0;             ///< The slot behind it.
  };
  static constexpr uint32_t kNoStep = ~0u;

  explicit SlotReplay(uint32_t warps) : warps_(warps) {}

  void arrive(uint32_t warp, uint32_t step, uint32_t mbarrier) {
    uint32_t& latest = mbarriers_[mbarrier];
    latest = std::max(latest, slot(warp, step) + 1);
  }
  void wait(uint32_t warp, uint32_t step, uint32_t mbarrier) { not_before(warp, step, mbarriers_[mbarrier]); }
  /// At a barrier; waiting warps continue after the last arrival.
  void meet(uint32_t warp, uint32_t step, uint32_t barrier, bool waits) {
    const std::pair key{barrier, warps_[warp].meetings[barrier]++};
    const auto [known, is_new] = numbers_.try_emplace(key, meetings_.size());
    if (is_new) meetings_.push_back({std::vector<uint32_t>(warps_.size(), kNoStep), 0});
    Meeting& meeting = meetings_[known->second];
    meeting.steps[warp] = step;
    meeting.end = std::max(meeting.end, slot(warp, step) + 1);
    if (waits) warps_[warp].left = known->second;
  }
  /// The warp continues: all that it waited for at a barrier have arrived.
  void go_on(uint32_t warp) {
    const std::optional<size_t> left = std::exchange(warps_[warp].left, std::nullopt);
    if (left) not_before(warp, meetings_[*left].steps[warp] + 1, meetings_[*left].end);
  }
  uint32_t slot(uint32_t warp, uint32_t step) const {
    const Stretch& last = warps_[warp].stretches.back();
    return last.slot + step - last.first_step;
  }
  const std::vector<Stretch>& stretches(uint32_t warp) const { return warps_[warp].stretches; }
  const std::vector<Meeting>& meetings() const { return meetings_; }

 private:
  struct WarpState {
    std::vector<Stretch> stretches{{}};
    std::map<uint32_t, uint32_t> meetings;  ///< By barrier, how often it has been there.
    std::optional<size_t> left;             ///< The meeting at which it still waits.
  };
  void not_before(uint32_t warp, uint32_t step, uint32_t earliest) {
    if (slot(warp, step) < earliest) warps_[warp].stretches.push_back({step, earliest});
  }

  std::vector<WarpState> warps_;
  std::map<uint32_t, uint32_t> mbarriers_;  ///< By shared offset, the slot behind the latest arrival.
  std::map<std::pair<uint32_t, uint32_t>, size_t> numbers_;
  std::vector<Meeting> meetings_;
};

}  // namespace

void Timeline::lay_out_by_mbarriers() {
  SlotReplay replay(warps());
  size_t next_copy = 0;
  const std::vector<trace::BulkRecord>& copies = trace_->bulk_copies();
  for (size_t record = 0; record < trace_->size(); ++record) {
    for (; next_copy < copies.size() && copies[next_copy].issued <= record; ++next_copy) {
      const trace::BulkRecord& copy = copies[next_copy];
      replay.go_on(copy.at.warp);
      if (copy.to_shared) replay.arrive(copy.at.warp, copy.at.warp_step, copy.barrier);
    }
    const trace::Step at = trace_->step(record);
    replay.go_on(at.warp);
    if (trace_->kind(record) != trace::RecordKind::Sync) continue;
    const trace::Sync sync = trace_->sync(record);
    switch (sync.kind) {
      case trace::SyncKind::MbarrierArrive: replay.arrive(at.warp, at.warp_step, sync.id); break;
      case trace::SyncKind::MbarrierWait: replay.wait(at.warp, at.warp_step, sync.id); break;
      case trace::SyncKind::BarrierArrive: replay.meet(at.warp, at.warp_step, sync.id, true); break;
      case trace::SyncKind::BarrierPass: replay.meet(at.warp, at.warp_step, sync.id, false); break;
      default: break;
    }
  }
  for (uint32_t warp = 0; warp < warps(); ++warp) {
    replay.go_on(warp);
    for (const SlotReplay::Stretch& each : replay.stretches(warp))
      rows_[warp].stretches.push_back({each.first_step, each.slot});
    rows_[warp].intervals.push_back({0, 0});
    if (steps(warp) > 0) slots_ = std::max(slots_, replay.slot(warp, steps(warp) - 1) + 1);
  }
  for (const SlotReplay::Meeting& meeting : replay.meetings()) {
    const auto comes = [&](uint32_t warp) { return steps(warp) == 0 || meeting.steps[warp] != SlotReplay::kNoStep; };
    bool all = true;
    for (uint32_t warp = 0; warp < warps(); ++warp) all = all && comes(warp);
    if (!all) continue;
    barrier_lines_.push_back(meeting.end);
    for (uint32_t warp = 0; warp < warps(); ++warp)
      rows_[warp].intervals.push_back({steps(warp) == 0 ? 0 : meeting.steps[warp] + 1, meeting.end});
  }
}

namespace {

/// The role of an instruction in the phases.
enum class PhasePart : uint8_t { None, AwaitCopies, LoadGlobal, LoadShared, Fill, Sync, Multiply, Store };

PhasePart part_of(StepKind kind, ptx::Op op, const ResultUses& results, uint32_t pc) {
  switch (kind) {
    case StepKind::Other:
      return op == ptx::Op::CpAsyncWait || op == ptx::Op::CpAsyncWaitAll ? PhasePart::AwaitCopies : PhasePart::None;
    case StepKind::LoadGlobal: return results.loads[pc] ? PhasePart::Store : PhasePart::LoadGlobal;
    case StepKind::LoadShared:
      return results.loads[pc] ? PhasePart::Store : results.passes[pc] ? PhasePart::Fill : PhasePart::LoadShared;
    case StepKind::AsyncCopy: return PhasePart::Fill;
    case StepKind::StoreShared: return results.stores[pc] ? PhasePart::Store : PhasePart::Fill;
    case StepKind::Barrier: return PhasePart::Sync;
    case StepKind::Multiply: return results.scales[pc] ? PhasePart::None : PhasePart::Multiply;
    case StepKind::StoreGlobal: return PhasePart::Store;
  }
  return PhasePart::None;
}

PhaseKind phase_of(PhasePart part) {
  switch (part) {
    case PhasePart::LoadGlobal:
    case PhasePart::Fill: return PhaseKind::Load;
    case PhasePart::Sync: return PhaseKind::Sync;
    case PhasePart::Store: return PhaseKind::Store;
    default: return PhaseKind::Compute;
  }
}

/// Of each step of a warp.
std::vector<PhasePart> parts_of(const std::vector<trace::StraightLine>& lines, const std::vector<PhasePart>& by_pc) {
  std::vector<PhasePart> parts;
  for (const trace::StraightLine& line : lines)
    parts.insert(parts.end(), by_pc.begin() + line.pc, by_pc.begin() + line.pc + line.count);
  return parts;
}

/// Whether values loaded in phase `i` are multiplied, or may be later: nothing is stored before.
bool is_for_products(const std::vector<Phase>& phases, const std::vector<bool>& multiplies, size_t i) {
  for (; i < phases.size(); ++i)
    if (multiplies[i] || phases[i].kind == PhaseKind::Store) return multiplies[i];
  return true;
}

}  // namespace

void Timeline::find_phases(const ptx::Function& function) {
  const ResultUses results = result_uses(function);
  std::vector<PhasePart> by_pc, of_others;  // Others: warps that do not multiply compute by what they read.
  for (uint32_t pc = 0; pc < kinds_.size(); ++pc) {
    by_pc.push_back(part_of(kinds_[pc], function.instructions[pc].op, results, pc));
    of_others.push_back(kinds_[pc] == StepKind::LoadShared ? PhasePart::LoadShared : by_pc.back());
  }
  for (uint32_t warp = 0; warp < warps(); ++warp) {
    const std::vector<trace::StraightLine>& lines = log_->warps()[warp];
    std::vector<PhasePart> parts = parts_of(lines, by_pc);
    const bool multiplies = std::find(parts.begin(), parts.end(), PhasePart::Multiply) != parts.end();
    if (!multiplies) parts = parts_of(lines, of_others);
    Row& row = rows_[warp];
    std::vector<bool> has_products;
    uint32_t pending = 0;  // Where the instructions of no phase began that wait for what follows.
    bool awaited = false;
    for (uint32_t step = 0; step < parts.size(); ++step) {
      if (parts[step] == PhasePart::AwaitCopies) awaited = true;
      if (parts[step] == PhasePart::None || parts[step] == PhasePart::AwaitCopies) continue;
      const PhaseKind kind = phase_of(parts[step]);
      const bool begins = row.phases.empty() || row.phases.back().kind != kind;
      if (begins || (awaited && kind == PhaseKind::Compute)) {
        if (!row.phases.empty()) row.phases.back().end = pending;
        row.phases.push_back({kind, pending, step + 1, step});
        has_products.push_back(false);
      }
      row.phases.back().end = pending = step + 1;
      awaited = false;
      if (parts[step] == PhasePart::Multiply || !multiplies) has_products.back() = kind == PhaseKind::Compute;
    }
    if (row.phases.empty() && steps(warp) > 0) {
      row.phases.push_back({PhaseKind::Compute, 0, steps(warp), 0});
      has_products.push_back(true);
    }
    if (!row.phases.empty()) row.phases.back().end = steps(warp);
    find_tiles(row, has_products);
  }
}

void Timeline::find_tiles(Row& row, const std::vector<bool>& has_products) const {
  const bool computes_ever = std::find(has_products.begin(), has_products.end(), true) != has_products.end();
  bool computed = true, met = false;
  for (size_t i = 0; i < row.phases.size(); ++i) {
    const Phase& phase = row.phases[i];
    row.phase_arrivals.push_back(phase.first);
    const bool computes = has_products[i], follows = !row.tiles.empty() || waits_at_mbarriers_;
    const bool loads = phase.kind == PhaseKind::Load && is_for_products(row.phases, has_products, i);
    // Two phases of products follow each other only if the warp waits for copies in between.
    met = met || (i > 0 && phase.kind == PhaseKind::Compute && row.phases[i - 1].kind == PhaseKind::Compute);
    const bool begins = computes ? computed && met && follows : loads && (computed || (met && !computes_ever));
    if (begins) row.tiles.push_back(phase.begin), row.tile_arrivals.push_back(phase.first);
    computed = computes || (computed && !begins);
    met = phase.kind == PhaseKind::Sync;
  }
}

uint32_t Timeline::pc(const StepRef& at) const {
  const trace::StraightLine& line = log_->line_at(at.warp, at.step);
  return line.pc + at.step - line.first_step;
}

uint32_t Timeline::active(const StepRef& at) const { return log_->line_at(at.warp, at.step).active; }

std::pair<const uint32_t*, const uint32_t*> Timeline::records(const StepRef& at) const {
  const auto all = trace_->warp_records(0, at.warp);
  const auto less = [&](uint32_t record, uint32_t step) { return trace_->step(record).warp_step < step; };
  const auto first = std::lower_bound(all.begin(), all.end(), at.step, less);
  const auto last = std::lower_bound(first, all.end(), at.step + 1, less);
  return {all.data() + (first - all.begin()), all.data() + (last - all.begin())};
}

std::span<const trace::BulkRecord* const> Timeline::bulk_copies(const StepRef& at) const {
  const auto before = [](const trace::BulkRecord* copy, const StepRef& wanted) {
    return std::pair<uint32_t, uint32_t>(copy->at.warp, copy->at.warp_step) < std::pair(wanted.warp, wanted.step);
  };
  const auto first = std::lower_bound(bulk_copies_.begin(), bulk_copies_.end(), at, before);
  const auto last = std::lower_bound(first, bulk_copies_.end(), StepRef{at.warp, at.step + 1}, before);
  return {first, last};
}

const trace::ProductRecord* Timeline::product_read(const StepRef& at) const {
  const auto found = std::ranges::lower_bound(product_reads_, std::pair(at.warp, at.step), {}, place_of);
  return found != product_reads_.end() && place_of(*found) == std::pair(at.warp, at.step) ? *found : nullptr;
}

std::optional<uint32_t> Timeline::access(const StepRef& at) const {
  const auto [first, last] = records(at);
  for (const uint32_t* record = first; record != last; ++record)
    if (trace_->kind(*record) == trace::RecordKind::Access) return *record;
  return std::nullopt;
}

uint32_t Timeline::slot(const StepRef& at) const {
  const std::vector<Interval>& stretches = rows_[at.warp].stretches;
  const Interval& stretch = stretches[number_of_step(stretches, at.step)];
  return stretch.slot + at.step - stretch.first_step;
}

uint32_t Timeline::interval(const StepRef& at) const {
  return static_cast<uint32_t>(number_of_step(rows_[at.warp].intervals, at.step));
}

/// Of the intervals the last one that begins at the step or before.
size_t Timeline::number_of_step(const std::vector<Interval>& intervals, uint32_t step) {
  const auto after = std::upper_bound(intervals.begin(), intervals.end(), step,
                                      [](uint32_t s, const Interval& i) { return s < i.first_step; });
  return static_cast<size_t>(after - intervals.begin()) - 1;
}

Steps Timeline::steps_in(uint32_t warp, uint32_t interval) const {
  const std::vector<Interval>& intervals = rows_[warp].intervals;
  const auto begin_of = [&](size_t i) { return i < intervals.size() ? intervals[i].first_step : steps(warp); };
  return {begin_of(interval), begin_of(size_t{interval} + 1)};
}

std::optional<uint32_t> Timeline::step_in(uint32_t warp, uint32_t slot) const {
  if (steps(warp) == 0) return std::nullopt;
  const uint32_t step = step_at_or_before(warp, slot);
  return this->slot({warp, step}) == slot ? std::optional(step) : std::nullopt;
}

uint32_t Timeline::step_at_or_before(uint32_t warp, uint32_t slot) const {
  const std::vector<Interval>& intervals = rows_[warp].stretches;
  auto after = std::upper_bound(intervals.begin(), intervals.end(), slot,
                                [](uint32_t c, const Interval& i) { return c < i.slot; });
  if (after == intervals.begin()) return 0;
  // An interval of no instructions begins where the next one does; its first step is the next one's too.
  const uint32_t end = after == intervals.end() ? steps(warp) : after->first_step;
  const Interval& interval = *std::prev(after);
  const uint32_t step = interval.first_step + slot - interval.slot;
  return std::min(step, end == 0 ? 0 : end - 1);
}

const Phase& Timeline::phase(const StepRef& at) const {
  const std::vector<Phase>& phases = rows_[at.warp].phases;
  return *std::prev(std::upper_bound(phases.begin() + 1, phases.end(), at.step,
                                     [](uint32_t step, const Phase& phase) { return step < phase.begin; }));
}

int32_t Timeline::tile(const StepRef& at) const { return last_at_or_before(rows_[at.warp].tiles, at.step); }

StepRef Timeline::move(const StepRef& at, Unit unit, int direction) const {
  if (steps(at.warp) == 0) return at;
  return {at.warp, next_boundary(at, unit, direction)};
}

uint32_t Timeline::next_boundary(const StepRef& at, Unit unit, int direction) const {
  const uint32_t last = this->last(at.warp).step;
  switch (unit) {
    case Unit::Instruction: return direction > 0 ? std::min(at.step + 1, last) : at.step == 0 ? 0 : at.step - 1;
    case Unit::Access: {
      uint32_t step = at.step;
      do {
        if (direction > 0 ? step >= last : step == 0) break;
        step += static_cast<uint32_t>(direction);
      } while (this->kind({at.warp, step}) == StepKind::Other || this->kind({at.warp, step}) == StepKind::Multiply);
      return step;
    }
    case Unit::Phase: return neighbour(rows_[at.warp].phase_arrivals, at.step, direction, last);
    case Unit::Tile: return neighbour(rows_[at.warp].tile_arrivals, at.step, direction, last);
  }
  return at.step;
}

}  // namespace tilescope::analysis
