#include "session/counted_work.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "session/count.h"
#include "session/run.h"

namespace tilescope::session {
namespace {

/// What the first block counts with that K.
Result<analysis::Work> count_block(Request request, int64_t k, compile::Compiler& compiler,
                                   const std::atomic<bool>* cancel) {
  request = first_block_at(std::move(request), k);
  Control control;
  control.cancel = cancel;
  control.threads = 1;
  const Result<Report> report = run(request, compiler, control);
  if (!report) return report.errors();
  const Result<kernel::Configuration> configuration =
      kernel::configure(request.kernel.description, request.settings, request.size);
  if (!configuration) return configuration.errors();
  return work_of(report->counts, *configuration);
}

/// The count at `k` of the straight line through those at the two short ones, for all blocks.
uint64_t carried_on(uint64_t at_short, uint64_t at_longer, int64_t k, uint64_t blocks) {
  const double slope = (static_cast<double>(at_longer) - static_cast<double>(at_short)) / (kLongerK - kShortK);
  const double one = static_cast<double>(at_short) + slope * static_cast<double>(k - kShortK);
  return static_cast<uint64_t>(std::max(0.0, one) * static_cast<double>(blocks));
}

std::string key_of(const Request& request) {
  std::string key =
      fmt::format("{} {} {}x{}x{}", request.kernel.name, request.arch, request.size.m, request.size.n, request.size.k);
  for (const auto& [name, value] : request.settings) key.append(fmt::format(" {}={}", name, value));
  return key + "\n" + request.kernel.source;
}

}  // namespace

Result<CountedWork> count_work(const Request& request, compile::Compiler& compiler, const std::atomic<bool>* cancel) {
  const Result<kernel::Configuration> whole =
      kernel::configure(request.kernel.description, request.settings, request.size);
  if (!whole) return whole.errors();
  const Result<analysis::Work> at_short = count_block(request, kShortK, compiler, cancel);
  if (!at_short) return at_short.errors();
  const Result<analysis::Work> at_longer = count_block(request, kLongerK, compiler, cancel);
  if (!at_longer) return at_longer.errors();
  CountedWork counted{request.kernel.name, request.kernel.source, whole->parameters, request.size.m, {},
                      whole->grid.count()};
  counted.work = work_of({}, *whole);  // What must cross DRAM follows from the sizes.
  for (uint64_t analysis::Work::*count : {&analysis::Work::fmas, &analysis::Work::shared_wavefronts,
                                          &analysis::Work::l1_wavefronts, &analysis::Work::l1_sectors})
    counted.work.*count = carried_on((*at_short).*count, (*at_longer).*count, request.size.k, counted.blocks);
  return counted;
}

struct WorkCounter::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Request> waiting;
  std::vector<CountedWork> done;
  bool running = false;
  std::atomic<bool> ending = false;
  std::function<void()> woken;
};

WorkCounter::WorkCounter(compile::Compiler& compiler, std::function<void()> woken)
    : shared_(std::make_shared<Shared>()) {
  shared_->woken = std::move(woken);
  worker_ = std::jthread([shared = shared_, &compiler] { work(shared, compiler); });
}

WorkCounter::~WorkCounter() {
  const std::scoped_lock lock(shared_->mutex);
  shared_->ending = true;
  shared_->changed.notify_all();
}

void WorkCounter::work(const std::shared_ptr<Shared>& shared, compile::Compiler& compiler) {
  std::unique_lock lock(shared->mutex);
  while (true) {
    shared->changed.wait(lock, [&] { return shared->ending || !shared->waiting.empty(); });
    if (shared->ending) return;
    const Request request = std::move(shared->waiting.front());
    shared->waiting.pop_front();
    shared->running = true;
    lock.unlock();
    Result<CountedWork> counted = count_work(request, compiler, &shared->ending);
    lock.lock();
    shared->running = false;
    if (counted) shared->done.push_back(std::move(*counted));
    lock.unlock();
    shared->woken();
    lock.lock();
  }
}

void WorkCounter::ask(const Request& request) {
  const auto [place, is_new] = asked_.insert(key_of(request));
  if (!is_new) return;
  order_.push_back(place);
  if (order_.size() > kMostKept) {
    asked_.erase(order_.front());
    order_.pop_front();
  }
  const std::scoped_lock lock(shared_->mutex);
  shared_->waiting.push_back(request);
  shared_->changed.notify_all();
}

bool WorkCounter::poll() {
  const std::scoped_lock lock(shared_->mutex);
  if (shared_->done.empty()) return false;
  std::move(shared_->done.begin(), shared_->done.end(), std::back_inserter(counted_));
  shared_->done.clear();
  if (counted_.size() > kMostKept) counted_.erase(counted_.begin(), counted_.end() - kMostKept);
  return true;
}

bool WorkCounter::busy() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->running || !shared_->waiting.empty() || !shared_->done.empty();
}

}  // namespace tilescope::session
