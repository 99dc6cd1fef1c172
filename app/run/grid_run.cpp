#include "run/grid_run.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/check_suite.h"
#include "base/parallel.h"
#include "base/turns.h"

namespace tilescope::run {
namespace {
using emulator::Outcome;
using Clock = std::chrono::steady_clock;

/// State shared by the workers.
struct Shared {
  const LaunchedKernel& launch;
  const Selection& selection;
  const Control& control;
  const std::atomic<bool>* cancel = nullptr;  ///< Ends the emulation; may be null.
  std::atomic<size_t> next = 0;               ///< Index into the selection's blocks.
  std::atomic<uint64_t> done = 0, total = 0;
  std::atomic<uint32_t> lowest_failed = std::numeric_limits<uint32_t>::max();
  std::atomic<bool> stop = false;
  std::mutex mutex{};
  GridRun result;  ///< Under the mutex.
};

void lower(std::atomic<uint32_t>& lowest, uint32_t block) {
  uint32_t seen = lowest.load();
  while (block < seen && !lowest.compare_exchange_weak(seen, block)) {
  }
}

/// The observers of one block of those that run together.
struct BlockWatch {
  BlockWatch(const LaunchedKernel& launch, std::initializer_list<trace::Observer*> others)
      : counter(launch.program->function().instructions.size(), launch.merge_plan),
        checks(launch.facts, analysis::Checks::Always),
        stores(launch.memory->allocations()),
        loads(launch.memory->allocations(), true),
        all{&counter, &checks, &stores, &loads} {
    for (trace::Observer* other : others) all.add(other);
  }
  BlockWatch(const BlockWatch&) = delete;
  BlockWatch& operator=(const BlockWatch&) = delete;

  void add_to(GridRun& run) const {
    run.counter.merge(counter);
    run.findings.add(checks.findings());
    run.stores.insert(run.stores.end(), stores.regions().begin(), stores.regions().end());
    run.loads.insert(run.loads.end(), loads.regions().begin(), loads.regions().end());
  }

  analysis::Counter counter;
  analysis::CheckSuite checks;
  analysis::StoreRegions stores, loads;
  trace::Observers all;
};

// Blocks are handed out in ascending order and those below a failed one still run, so that the lowest failure is found
// whatever the number of workers.
GridRun work(Shared& shared) {
  const LaunchedKernel& launch = shared.launch;
  const Selection& selection = shared.selection;
  emulator::Machine machine(*launch.program, launch.shape, *launch.memory);
  analysis::Counter counter(launch.program->function().instructions.size(), launch.merge_plan);
  analysis::CheckSuite checks(launch.facts, analysis::Checks::Always);
  std::optional<analysis::CheckSuite> ordered;
  if (selection.check) ordered.emplace(launch.facts, analysis::Checks::Ordered);
  analysis::StoreRegions footprint(launch.memory->allocations());
  GridRun mine(launch);
  if (selection.accesses) mine.accessed.emplace(launch.memory->allocations());
  trace::Observer* const accessed = mine.accessed ? &*mine.accessed : nullptr;
  trace::Observers observers{&counter,           &checks,      ordered ? &*ordered : nullptr, &footprint, accessed,
                             selection.recorder, selection.log};
  mine.failed_block = std::numeric_limits<uint32_t>::max();
  emulator::RunOptions options;
  options.observer = &observers;
  options.check_registers = selection.check;
  options.step_budget = shared.control.step_budget;
  options.cancel = shared.cancel;
  std::vector<bool> ran;  // Where blocks may wait for others; there is one worker then.
  if (launch.program->blocks_interact()) ran.resize(launch.blocks());
  for (const uint32_t block : selection.before)
    if (!ran.empty()) ran[block] = true;
  std::vector<std::unique_ptr<BlockWatch>> companions;
  emulator::Companions beside{nullptr, launch.at_once()};
  if (!ran.empty())
    beside.next = [&, first = ran.begin()]() mutable -> std::optional<emulator::Companions::Companion> {
      first = std::find(first, ran.end(), false);
      if (first == ran.end()) return std::nullopt;
      *first = true;
      if (ordered) observers.remove(&*ordered);
      companions.push_back(std::make_unique<BlockWatch>(launch, std::initializer_list{accessed}));
      mine.companions.push_back(static_cast<uint32_t>(first - ran.begin()));
      return emulator::Companions::Companion{mine.companions.back(), &companions.back()->all};
    };
  uint64_t selected_done = 0;
  const auto run_one = [&](uint32_t block) {
    if (block > shared.lowest_failed) return false;
    if (!ran.empty()) {
      if (ran[block]) return true;
      ran[block] = true;
    }
    const bool is_cancelled = shared.cancel && *shared.cancel;
    const emulator::Machine::GridEnd end = is_cancelled ? emulator::Machine::GridEnd{Outcome::Cancelled, block}
                                                        : machine.run_block(block, options, beside);
    mine.outcome = end.outcome;
    if (mine.outcome != Outcome::Finished) {
      mine.failed_block = end.block;
      lower(shared.lowest_failed, end.block);
      return false;
    }
    if (selection.check && companions.empty()) ++mine.checked_blocks;
    const uint64_t done = ++selected_done + companions.size();
    shared.done += done - std::exchange(mine.blocks_done, done);
    return true;
  };
  bool goes_on = true;
  for (size_t i; goes_on && (i = shared.next.fetch_add(1)) < selection.blocks.size();)
    goes_on = run_one(selection.blocks[i]);
  if (goes_on && selection.then) {
    const std::vector<uint32_t> others = selection.then(machine.counts());
    shared.total += others.size();
    for (size_t i = 0; goes_on && i < others.size(); ++i) goes_on = run_one(others[i]);
  }
  mine.counts = machine.counts();
  mine.touched = machine.touched();
  mine.counter = std::move(counter);
  mine.findings = checks.findings();
  if (ordered) mine.findings.add(ordered->findings());
  mine.stores = footprint.regions();
  for (const std::unique_ptr<BlockWatch>& watch : companions) watch->add_to(mine);
  mine.printed = machine.printed();
  return mine;
}

/// The blocks that run together: the whole grid, which is one empty list, or each cluster that has a selected block.
std::vector<std::vector<uint32_t>> groups_that_run_together(const Shared& shared, bool by_cluster) {
  if (!by_cluster) return {{}};
  const ClusterShape shape = shared.launch.facts.clusters();
  std::map<uint64_t, std::vector<uint32_t>> clusters;
  for (const uint32_t block : shared.selection.blocks) clusters[shape.number_of(block)];
  std::vector<std::vector<uint32_t>> all;
  for (auto& [number, blocks] : clusters) {
    for (uint32_t rank = 0; rank < shape.cluster.count(); ++rank) blocks.push_back(shape.block_in(number, rank));
    all.push_back(std::move(blocks));
  }
  return all;
}

GridRun work_together(Shared& shared) {
  const LaunchedKernel& launch = shared.launch;
  const Selection& selection = shared.selection;
  const bool in_order = selection.check && !launch.is_cooperative();
  std::optional<analysis::CheckSuite> ordered;
  if (in_order) ordered.emplace(launch.facts, analysis::Checks::Ordered);
  GridRun mine(launch);
  if (selection.accesses) mine.accessed.emplace(launch.memory->allocations());
  std::vector<std::unique_ptr<BlockWatch>> watches;
  // Of a cluster's blocks those that are not watched are checked with their mates.
  std::vector<trace::Observer*> observers(launch.blocks(), ordered ? &*ordered : nullptr);
  for (const uint32_t block : selection.blocks) {
    watches.push_back(std::make_unique<BlockWatch>(
        launch, std::initializer_list<trace::Observer*>{ordered ? &*ordered : nullptr,
                                                        mine.accessed ? &*mine.accessed : nullptr, selection.recorder,
                                                        selection.log}));
    observers[block] = &watches.back()->all;
    let_turns_pass();
  }
  emulator::RunOptions options;
  options.check_registers = in_order;
  options.step_budget = shared.control.step_budget;
  options.cancel = shared.cancel;
  emulator::Machine machine(*launch.program, launch.shape, *launch.memory);
  mine.failed_block = std::numeric_limits<uint32_t>::max();
  for (const std::vector<uint32_t>& blocks : groups_that_run_together(shared, in_order)) {
    const emulator::Machine::GridEnd end = machine.run_together(observers, options, blocks);
    if (end.outcome != Outcome::Finished) {
      mine.outcome = end.outcome;
      mine.failed_block = end.block;
      break;
    }
    mine.blocks_done += in_order ? blocks.size() : selection.blocks.size();
    shared.done = mine.blocks_done;
  }
  mine.blocks_done = std::min<uint64_t>(mine.blocks_done, selection.blocks.size());
  if (in_order) mine.checked_blocks = mine.blocks_done;
  mine.counts = machine.counts();
  mine.touched = machine.touched();
  mine.printed = machine.printed();
  if (ordered) mine.findings = ordered->findings();
  for (const std::unique_ptr<BlockWatch>& watch : watches) watch->add_to(mine);
  return mine;
}

GridRun try_work(Shared& shared) {
  try {
    return shared.launch.runs_together() ? work_together(shared) : work(shared);
  } catch (const std::bad_alloc&) {
    shared.stop = true;
    GridRun none(shared.launch);
    none.out_of_memory = true;
    return none;
  }
}

/// Of several workers the processor's time passes faster than the wall's, on a busy machine more slowly.
class WorkingTime {
 public:
  /// Seconds since the last call, by the slower of the two clocks.
  double since_last() {
    const auto wall = std::exchange(wall_, Clock::now());
    const std::clock_t processor = std::exchange(processor_, std::clock());
    return std::min(std::chrono::duration<double>(wall_ - wall).count(),
                    static_cast<double>(processor_ - processor) / CLOCKS_PER_SEC);
  }

 private:
  Clock::time_point wall_ = Clock::now();
  std::clock_t processor_ = std::clock();
};

/// A block that takes so many times as long as the slowest before it may be in an endless loop.
constexpr int kSlower = 4;

/// Stops the workers when the caller cancels or a time limit passes, which is noted in the result.
void watch_over(Shared& shared, Crew& crew) {
  const auto seconds = [](double count) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
  };
  double passed = 0, without_end = 0;
  WorkingTime working;
  const auto begin = Clock::now(), deadline = begin + seconds(shared.control.seconds);
  auto last_end = begin;         // Of a block.
  auto longest = begin - begin;  // Between two ends.
  bool was_progressing = false;
  uint64_t done = 0;
  auto next_report = Clock::now() + std::chrono::milliseconds(200);
  while (!crew.wait_for(std::chrono::milliseconds(10))) {
    const auto now = Clock::now();
    without_end += working.since_last();
    if (done != shared.done) {
      longest = std::max(longest, now - last_end);
      last_end = now;
      without_end = 0;
    }
    done = shared.done;
    if (passed == 0 && now > deadline) {
      passed = shared.control.seconds;
      was_progressing = done > 0 && now - last_end < std::max(kSlower * longest, (now - begin) / 2);
    }
    if (passed == 0 && without_end > shared.control.block_seconds) passed = shared.control.block_seconds;
    if (passed > 0 || cancelled(shared.control)) shared.stop = true;
    if (shared.control.progress && now > next_report) {
      shared.control.progress("emulating blocks", done, shared.total);
      next_report = now + std::chrono::milliseconds(100);
    }
  }
  const std::lock_guard lock(shared.mutex);
  shared.result.seconds_allowed = passed;
  shared.result.was_progressing = was_progressing;
}

}  // namespace

bool calls_system(const ptx::Function& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(),
                     [](const ptx::Instruction& instruction) { return instruction.op == ptx::Op::Call; });
}

bool cancelled(const Control& control) { return control.cancel && control.cancel->load(std::memory_order_relaxed); }

unsigned thread_count(const Control& control) { return control.threads ? control.threads : processors(); }

GridRun::GridRun(const LaunchedKernel& launch)
    : counter(launch.program->function().instructions.size(), launch.merge_plan) {
  counts.warp_executions.resize(launch.program->function().instructions.size());
  counts.thread_executions.resize(launch.program->function().instructions.size());
}

void GridRun::merge(GridRun&& other) {
  if (other.outcome != Outcome::Finished && (outcome == Outcome::Finished || other.failed_block < failed_block)) {
    outcome = other.outcome;
    failed_block = other.failed_block;
  }
  out_of_time |= other.out_of_time;
  out_of_memory |= other.out_of_memory;
  seconds_allowed = std::max(seconds_allowed, other.seconds_allowed);
  was_progressing |= other.was_progressing;
  companions.insert(companions.end(), other.companions.begin(), other.companions.end());
  blocks_done += other.blocks_done;
  checked_blocks += other.checked_blocks;
  counts.merge(other.counts);
  counter.merge(other.counter);
  findings.add(other.findings);
  stores.insert(stores.end(), other.stores.begin(), other.stores.end());
  loads.insert(loads.end(), other.loads.begin(), other.loads.end());
  touched.resize(std::max(touched.size(), other.touched.size()));
  for (size_t array = 0; array < other.touched.size(); ++array) touched[array] |= other.touched[array];
  if (accessed && other.accessed)
    accessed->merge(*other.accessed);
  else if (other.accessed)
    accessed = std::move(other.accessed);
  printed += other.printed;
}

GridRun run_grid(const LaunchedKernel& launch, const Selection& selection, const Control& control) {
  // The output of vprintf of several blocks has an order only if they run in order.
  const bool in_order = selection.check || launch.runs_together() || launch.program->blocks_interact() ||
                        calls_system(launch.program->function());
  const unsigned wanted = in_order ? 1 : thread_count(control);
  const auto workers = static_cast<unsigned>(std::clamp<size_t>(selection.blocks.size(), 1, wanted));
  Shared shared{.launch = launch,
                .selection = selection,
                .control = control,
                .cancel = control.cancel,
                .total = selection.blocks.size(),
                .result = GridRun(launch)};
  const auto one_worker = [&shared] {
    GridRun mine = try_work(shared);
    const std::lock_guard lock(shared.mutex);
    shared.result.merge(std::move(mine));
  };
  {
    shared.cancel = &shared.stop;
    Crew crew(workers, one_worker);
    if (crew.size() == 0) {
      // Nobody is left to watch the time; Ctrl+C and newer inputs still end it.
      shared.cancel = control.cancel;
      one_worker();
    }
    watch_over(shared, crew);
    crew.join();
  }
  GridRun& result = shared.result;
  result.out_of_time = result.seconds_allowed > 0;
  std::sort(result.stores.begin(), result.stores.end(),
            [](const auto& a, const auto& b) { return std::tie(a.block, a.array) < std::tie(b.block, b.array); });
  return std::move(result);
}

}  // namespace tilescope::run
