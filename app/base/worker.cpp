#include "base/worker.h"

#include <utility>

#include "base/parallel.h"

namespace tilescope {
namespace {

constexpr int kFramesFirst = 2;  // Before a job is done on the thread that draws.

}  // namespace

void Worker::Turn::deliver(std::function<void()> take_over) const {
  {
    const std::lock_guard lock(worker_->mutex_);
    if (*cancel_) return;
    worker_->delivered_.push_back(std::move(take_over));
  }
  worker_->woken_();
}

Worker::Worker(std::function<void()> woken, std::function<void(const Message&)> failed)
    : woken_(std::move(woken)), failed_(std::move(failed)), thread_(start_thread([this] { work(); })) {}

Worker::~Worker() {
  const std::lock_guard lock(mutex_);
  drop();
  ends_ = true;
  changed_.notify_all();
}

void Worker::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (!ends_ && (waiting_.empty() || Clock::now() < waiting_.front().begins)) {
      if (waiting_.empty())
        changed_.wait(lock);
      else
        changed_.wait_until(lock, waiting_.front().begins);
    }
    if (ends_) return;
    do_first(lock);
  }
}

// The lock is held before and after, not while the job runs.
void Worker::do_first(std::unique_lock<std::mutex>& lock) {
  Waiting next = std::move(waiting_.front());
  waiting_.pop_front();
  running_ = next.cancel;
  lock.unlock();
  Turn turn;
  turn.worker_ = this;
  turn.cancel_ = std::move(next.cancel);
  try {
    next.job(turn);
  } catch (...) {
    turn.deliver([this, why = sentence_of(std::current_exception())] { failed_(why); });
  }
  next.job = nullptr;  // Its captures may be large.
  lock.lock();
  running_.reset();
}

void Worker::drop() {
  if (running_) *running_ = true;
  waiting_.clear();
  delivered_.clear();
}

void Worker::push(Job job, Clock::time_point begins) {
  waiting_.push_back({std::move(job), begins, std::make_shared<std::atomic<bool>>(false)});
  changed_.notify_all();
}

void Worker::append(Job job) {
  {
    const std::lock_guard lock(mutex_);
    push(std::move(job), {});
  }
  if (!thread_.joinable()) woken_();
}

void Worker::replace(Job job, Clock::time_point begins) {
  {
    const std::lock_guard lock(mutex_);
    drop();
    push(std::move(job), begins);
  }
  if (!thread_.joinable()) woken_();
}

void Worker::cancel() {
  const std::lock_guard lock(mutex_);
  drop();
}

bool Worker::is_due() {
  if (thread_.joinable() || waiting_.empty() || Clock::now() < waiting_.front().begins) return false;
  return waiting_.front().polls++ == kFramesFirst;
}

bool Worker::poll() {
  std::vector<std::function<void()>> delivered;
  bool waits = false;
  {
    std::unique_lock lock(mutex_);
    if (is_due()) do_first(lock);
    delivered.swap(delivered_);
    waits = !thread_.joinable() && !waiting_.empty();
  }
  for (const std::function<void()>& take_over : delivered) take_over();
  if (waits) woken_();
  return !delivered.empty();
}

bool Worker::busy() const {
  const std::lock_guard lock(mutex_);
  return running_ || !waiting_.empty() || !delivered_.empty();
}

}  // namespace tilescope
