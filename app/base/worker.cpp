#include "base/worker.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/turns.h"

namespace tilescope {
namespace {

constexpr int kFramesFirst = 2;  // Before a job is done by poll().

}  // namespace

struct Worker::State {
  struct Waiting {
    Job job;
    Clock::time_point begins;
    std::shared_ptr<std::atomic<bool>> cancel;
    int polls = 0;  ///< Since it could begin, without a thread.
  };

  // The body of the thread.
  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      while (!ends && (waiting.empty() || Clock::now() < waiting.front().begins)) {
        if (waiting.empty())
          changed.wait(lock);
        else
          changed.wait_until(lock, waiting.front().begins);
      }
      if (ends) return;
      Waiting first = take_first();
      lock.unlock();
      run(first);
      lock.lock();
    }
  }

  // Under the mutex, as all below but run(). What is taken counts as running.
  Waiting take_first() {
    Waiting first = std::move(waiting.front());
    waiting.pop_front();
    running = first.cancel;
    return first;
  }

  // Whether there is more to do.
  bool run(Waiting& taken) {
    Turn turn;
    turn.of_ = this;
    turn.cancel_ = taken.cancel;
    try {
      if (!*taken.cancel) taken.job(turn);
    } catch (...) {
      turn.deliver([this, why = sentence_of(std::current_exception())] { failed(why); });
    }
    taken.job = nullptr;  // Its captures may be large.
    const std::lock_guard lock(mutex);
    running.reset();
    return !waiting.empty();
  }

  void drop() {
    if (running) *running = true;
    waiting.clear();
    delivered.clear();
  }

  void push(Job job, Clock::time_point begins) {
    waiting.push_back({std::move(job), begins, std::make_shared<std::atomic<bool>>(false)});
    changed.notify_all();
  }

  std::function<void()> woken;
  std::function<void(const Message&)> failed;
  mutable std::mutex mutex;
  std::condition_variable changed;
  // All under the mutex.
  std::deque<Waiting> waiting;
  std::vector<std::function<void()>> delivered;
  std::shared_ptr<std::atomic<bool>> running;  ///< Cancels the running job; null if there is none.
  bool ends = false;
};

void Worker::Turn::deliver(std::function<void()> take_over) const {
  {
    const std::lock_guard lock(of_->mutex);
    if (*cancel_) return;
    of_->delivered.push_back(std::move(take_over));
  }
  of_->woken();
}

Worker::Worker(std::function<void()> woken, std::function<void(const Message&)> failed)
    : state_(std::make_shared<State>()) {
  state_->woken = std::move(woken);
  state_->failed = std::move(failed);
  thread_ = start_thread([state = state_.get()] { state->work(); });
}

Worker::~Worker() {
  const std::lock_guard lock(state_->mutex);
  state_->drop();
  state_->ends = true;
  state_->changed.notify_all();
}

void Worker::append(Job job) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->push(std::move(job), {});
  }
  if (!thread_.joinable()) state_->woken();
}

void Worker::replace(Job job, Clock::time_point begins) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->drop();
    state_->push(std::move(job), begins);
  }
  if (!thread_.joinable()) state_->woken();
}

void Worker::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->drop();
}

bool Worker::begin() {
  std::unique_lock lock(state_->mutex);
  if (state_->running || state_->waiting.empty()) return false;
  State::Waiting& first = state_->waiting.front();
  if (Clock::now() < first.begins || (!works_between_turns() && first.polls++ < kFramesFirst)) return true;
  const auto taken = std::make_shared<State::Waiting>(state_->take_first());
  lock.unlock();
  const auto run = [state = state_, taken] {
    if (state->run(*taken)) state->woken();
  };
  works_between_turns() ? run_between_turns(run) : run();
  return false;
}

bool Worker::poll() {
  const bool waits = !thread_.joinable() && begin();
  std::vector<std::function<void()>> delivered;
  {
    const std::lock_guard lock(state_->mutex);
    delivered.swap(state_->delivered);
  }
  for (const std::function<void()>& take_over : delivered) take_over();
  if (waits) state_->woken();
  return !delivered.empty();
}

bool Worker::busy() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running || !state_->waiting.empty() || !state_->delivered.empty();
}

}  // namespace tilescope
