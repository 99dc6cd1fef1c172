#include "run/grid_run.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <tuple>

#include "analysis/check_suite.h"

namespace tilescope::run {
namespace {
using emulator::Outcome;
using Clock = std::chrono::steady_clock;

/// What the workers share.
struct Shared {
  const GridJob& job;
  const Control& control;
  std::atomic<size_t> next = 0;  // index into job.blocks
  std::atomic<uint64_t> done = 0;
  std::atomic<uint32_t> lowest_failed = std::numeric_limits<uint32_t>::max();
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::condition_variable finished;
  unsigned running = 0;
  GridRun result;
};

void lower(std::atomic<uint32_t>& lowest, uint32_t block) {
  uint32_t seen = lowest.load();
  while (block < seen && !lowest.compare_exchange_weak(seen, block)) {
  }
}

// Blocks are handed out in ascending order and those below a failed one still run, so that the lowest failure is found
// whatever the number of workers.
GridRun work(Shared& shared) {
  const GridJob& job = shared.job;
  emulator::Machine machine(*job.program, *job.launch, *job.memory);
  analysis::Counter counter(job.program->function().instructions.size(), job.merge_plan);
  analysis::CheckSuite checks(*job.facts, job.check ? analysis::Checks::All : analysis::Checks::Always);
  analysis::StoreRegions footprint(job.memory->allocations());
  trace::Observers observers{&counter, &checks, &footprint, job.recorder, job.log};
  GridRun mine(job);
  mine.failed_block = std::numeric_limits<uint32_t>::max();
  emulator::RunOptions options;
  options.observer = &observers;
  options.check_registers = job.check;
  options.step_budget = shared.control.step_budget;
  options.cancel = &shared.stop;
  for (size_t i; (i = shared.next.fetch_add(1)) < job.blocks.size();) {
    const uint32_t block = job.blocks[i];
    if (block > shared.lowest_failed.load()) break;
    mine.outcome = shared.stop.load() ? Outcome::Cancelled : machine.run_block(block, options);
    if (mine.outcome != Outcome::Finished) {
      mine.failed_block = block;
      lower(shared.lowest_failed, block);
      break;
    }
    ++mine.blocks_done;
    shared.done.fetch_add(1);
  }
  mine.counts = machine.counts();
  mine.touched = machine.touched();
  mine.counter = std::move(counter);
  mine.findings = checks.findings();
  mine.stores = footprint.stores();
  mine.printed = machine.printed();
  return mine;
}

/// Who watches one block of those that run together.
struct BlockWatch {
  BlockWatch(const GridJob& job, analysis::CheckSuite* ordered)
      : counter(job.program->function().instructions.size(), job.merge_plan),
        checks(*job.facts, analysis::Checks::Always),
        stores(job.memory->allocations()),
        all{&counter, &checks, &stores, ordered, job.recorder, job.log} {}
  BlockWatch(const BlockWatch&) = delete;
  BlockWatch& operator=(const BlockWatch&) = delete;

  analysis::Counter counter;
  analysis::CheckSuite checks;
  analysis::StoreRegions stores;
  trace::Observers all;
};

/// The blocks that run together: the whole grid, which is one empty list, or each cluster that has one of the job's.
std::vector<std::vector<uint32_t>> companies(const GridJob& job, bool by_cluster) {
  if (!by_cluster) return {{}};
  const ClusterShape shape = job.facts->clusters();
  std::map<uint64_t, std::vector<uint32_t>> clusters;
  for (const uint32_t block : job.blocks) clusters[shape.number_of(block)];
  std::vector<std::vector<uint32_t>> all;
  for (auto& [number, blocks] : clusters) {
    for (uint32_t rank = 0; rank < shape.cluster.count(); ++rank) blocks.push_back(shape.block_in(number, rank));
    all.push_back(std::move(blocks));
  }
  return all;
}

GridRun work_together(Shared& shared) {
  const GridJob& job = shared.job;
  const bool in_order = job.check && !job.launch->cooperative && !job.program->is_cooperative();
  std::optional<analysis::CheckSuite> ordered;
  if (in_order) ordered.emplace(*job.facts, analysis::Checks::Ordered);
  std::vector<std::unique_ptr<BlockWatch>> watches;
  // Of a cluster's blocks those that are not watched are checked with their mates.
  std::vector<trace::Observer*> observers(job.launch->grid.count(), ordered ? &*ordered : nullptr);
  for (const uint32_t block : job.blocks) {
    watches.push_back(std::make_unique<BlockWatch>(job, ordered ? &*ordered : nullptr));
    observers[block] = &watches.back()->all;
  }
  emulator::RunOptions options;
  options.check_registers = in_order;
  options.step_budget = shared.control.step_budget;
  options.cancel = &shared.stop;
  emulator::Machine machine(*job.program, *job.launch, *job.memory);
  GridRun mine(job);
  mine.failed_block = std::numeric_limits<uint32_t>::max();
  for (const std::vector<uint32_t>& blocks : companies(job, in_order)) {
    const emulator::Machine::GridEnd end = machine.run_together(observers, options, blocks);
    if (end.outcome != Outcome::Finished) {
      mine.outcome = end.outcome;
      mine.failed_block = end.block;
      break;
    }
    mine.blocks_done += in_order ? blocks.size() : job.blocks.size();
    shared.done = mine.blocks_done;
  }
  mine.blocks_done = std::min<uint64_t>(mine.blocks_done, job.blocks.size());
  mine.counts = machine.counts();
  mine.touched = machine.touched();
  mine.printed = machine.printed();
  if (ordered) mine.findings = ordered->findings();
  for (const std::unique_ptr<BlockWatch>& watch : watches) {
    mine.counter.merge(watch->counter);
    mine.findings.add(watch->checks.findings());
    mine.stores.insert(mine.stores.end(), watch->stores.stores().begin(), watch->stores.stores().end());
  }
  return mine;
}

GridRun try_work(Shared& shared) {
  try {
    return runs_together(shared.job) ? work_together(shared) : work(shared);
  } catch (const std::bad_alloc&) {
    shared.stop = true;
    GridRun none(shared.job);
    none.out_of_memory = true;
    return none;
  }
}

void watch_over(Shared& shared) {
  const auto seconds = [](double count) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
  };
  const auto run_out = [&](double limit) {
    if (!shared.result.out_of_time) shared.result.seconds_allowed = limit;
    shared.stop = shared.result.out_of_time = true;
  };
  const auto deadline = Clock::now() + seconds(shared.control.seconds);
  auto block_deadline = Clock::now() + seconds(shared.control.block_seconds);
  uint64_t done = 0;
  auto next_report = Clock::now() + std::chrono::milliseconds(200);
  std::unique_lock lock(shared.mutex);
  while (!shared.finished.wait_for(lock, std::chrono::milliseconds(10), [&] { return shared.running == 0; })) {
    if (cancelled(shared.control)) shared.stop = true;
    if (Clock::now() > deadline) run_out(shared.control.seconds);
    if (done != shared.done) block_deadline = Clock::now() + seconds(shared.control.block_seconds);
    done = shared.done;
    if (Clock::now() > block_deadline) run_out(shared.control.block_seconds);
    if (shared.control.progress && Clock::now() > next_report) {
      shared.control.progress("emulating blocks", shared.done, shared.job.blocks.size());
      next_report = Clock::now() + std::chrono::milliseconds(100);
    }
  }
}

}  // namespace

bool calls_system(const ptx::Function& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(),
                     [](const ptx::Instruction& instruction) { return instruction.op == ptx::Op::Call; });
}

bool runs_together(const GridJob& job) { return job.launch->cooperative || job.program->runs_together(); }

bool cancelled(const Control& control) { return control.cancel && control.cancel->load(std::memory_order_relaxed); }

unsigned thread_count(const Control& control) {
  return control.threads ? control.threads : std::max(1U, std::thread::hardware_concurrency());
}

GridRun::GridRun(const GridJob& job) : counter(job.program->function().instructions.size(), job.merge_plan) {
  counts.warp_executions.resize(job.program->function().instructions.size());
  counts.thread_executions.resize(job.program->function().instructions.size());
}

void GridRun::merge(GridRun&& other) {
  if (other.outcome != Outcome::Finished && (outcome == Outcome::Finished || other.failed_block < failed_block)) {
    outcome = other.outcome;
    failed_block = other.failed_block;
  }
  out_of_memory |= other.out_of_memory;
  blocks_done += other.blocks_done;
  counts.merge(other.counts);
  counter.merge(other.counter);
  findings.add(other.findings);
  stores.insert(stores.end(), other.stores.begin(), other.stores.end());
  touched.resize(std::max(touched.size(), other.touched.size()));
  for (size_t array = 0; array < other.touched.size(); ++array) touched[array] |= other.touched[array];
  printed += other.printed;
}

GridRun run_grid(const GridJob& job, const Control& control) {
  // What vprintf writes of several blocks has an order only when they run in one.
  const bool in_order =
      job.check || runs_together(job) || job.program->blocks_interact() || calls_system(job.program->function());
  const unsigned wanted = in_order ? 1 : thread_count(control);
  const auto workers = static_cast<unsigned>(std::clamp<size_t>(job.blocks.size(), 1, wanted));
  Shared shared{job, control, {}, {}, {}, {}, {}, {}, workers, GridRun(job)};
  shared.lowest_failed = std::numeric_limits<uint32_t>::max();
  std::vector<std::jthread> threads;
  const auto one_worker = [&shared] {
    GridRun mine = try_work(shared);
    const std::lock_guard lock(shared.mutex);
    shared.result.merge(std::move(mine));
    --shared.running;
    shared.finished.notify_one();
  };
  try {
    while (threads.size() < workers) threads.emplace_back(one_worker);
  } catch (const std::system_error&) {  // The system gives no more threads: those that there are do the work.
    const std::lock_guard lock(shared.mutex);
    shared.running -= workers - static_cast<unsigned>(threads.size());
  }
  if (threads.empty()) {
    shared.running = 1;
    one_worker();
  }
  watch_over(shared);
  threads.clear();
  std::sort(shared.result.stores.begin(), shared.result.stores.end(),
            [](const auto& a, const auto& b) { return std::tie(a.block, a.array) < std::tie(b.block, b.array); });
  return std::move(shared.result);
}

}  // namespace tilescope::run
