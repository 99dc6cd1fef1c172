#include "session/grid_run.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "analysis/check_suite.h"

namespace tilescope::session {
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
  analysis::Footprint footprint(job.memory->allocations());
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
  mine.counter = std::move(counter);
  mine.findings = checks.findings();
  mine.stores = footprint.stores();
  mine.printed = machine.printed();
  return mine;
}

void watch_over(Shared& shared) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(shared.control.seconds);
  auto next_report = Clock::now() + std::chrono::milliseconds(200);
  std::unique_lock lock(shared.mutex);
  while (!shared.finished.wait_for(lock, std::chrono::milliseconds(10), [&] { return shared.running == 0; })) {
    if (cancelled(shared.control)) shared.stop = true;
    if (Clock::now() > deadline) shared.stop = shared.result.out_of_time = true;
    if (shared.control.progress && Clock::now() > next_report) {
      shared.control.progress("emulating blocks", shared.done, shared.job.blocks.size());
      next_report = Clock::now() + std::chrono::milliseconds(100);
    }
  }
}

/// What vprintf writes of several blocks has an order only when they run in one.
bool prints(const ptx::Function& function) {
  return std::any_of(function.instructions.begin(), function.instructions.end(),
                     [](const ptx::Instruction& instruction) { return instruction.op == ptx::Op::Call; });
}

// Code without lines is told apart by its pc, as in FindingLog.
int64_t place_of(const analysis::Site& site) { return site.line > 0 ? site.line : -int64_t{site.pc} - 1; }

using FindingKey = std::tuple<analysis::FindingKind, int64_t, int64_t, std::string>;
FindingKey key_of(const analysis::Finding& finding) {
  return {finding.kind, place_of(finding.site), finding.other ? place_of(*finding.other) : 0, finding.array};
}

std::vector<analysis::Finding> merged(std::vector<analysis::Finding> a, const std::vector<analysis::Finding>& b) {
  std::map<FindingKey, size_t> known;
  for (size_t i = 0; i < a.size(); ++i) known.emplace(key_of(a[i]), i);
  for (const analysis::Finding& finding : b) {
    const auto found = known.find(key_of(finding));
    if (found == known.end()) {
      a.push_back(finding);
      continue;
    }
    analysis::Finding& mine = a[found->second];
    const uint64_t count = mine.count + finding.count;
    if (finding.site.thread.block < mine.site.thread.block) mine = finding;
    mine.count = count;
  }
  return a;
}

}  // namespace

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
  blocks_done += other.blocks_done;
  counts.merge(other.counts);
  counter.merge(other.counter);
  findings = merged(std::move(findings), other.findings);
  stores.insert(stores.end(), other.stores.begin(), other.stores.end());
  printed += other.printed;
}

GridRun run_grid(const GridJob& job, const Control& control) {
  const bool in_order = job.check || job.program->blocks_interact() || prints(job.program->function());
  const unsigned wanted = in_order ? 1 : thread_count(control);
  const auto workers = static_cast<unsigned>(std::clamp<size_t>(job.blocks.size(), 1, wanted));
  Shared shared{job, control, {}, {}, {}, {}, {}, {}, workers, GridRun(job)};
  shared.lowest_failed = std::numeric_limits<uint32_t>::max();
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < workers; ++i)
    threads.emplace_back([&shared] {
      GridRun mine = work(shared);
      const std::lock_guard lock(shared.mutex);
      shared.result.merge(std::move(mine));
      --shared.running;
      shared.finished.notify_one();
    });
  watch_over(shared);
  threads.clear();
  analysis::sort_findings(shared.result.findings);
  std::sort(shared.result.stores.begin(), shared.result.stores.end(),
            [](const auto& a, const auto& b) { return std::tie(a.block, a.array) < std::tie(b.block, b.array); });
  return std::move(shared.result);
}

}  // namespace tilescope::session
