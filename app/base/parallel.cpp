#include "base/parallel.h"

#include <new>
#include <system_error>
#include <utility>

namespace tilescope {

unsigned processors() { return std::max(1U, std::thread::hardware_concurrency()); }

std::jthread start_thread(std::function<void()> work) {
  try {
    return std::jthread(std::move(work));
  } catch (const std::system_error&) {
    return {};
  }
}

Message sentence_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return Message("There is too little memory for this. Choose a smaller size, or close other programs.");
  } catch (const std::exception& problem) {
    return Message("This failed: {}.", problem.what());
  } catch (...) {
    return Message("This failed.");
  }
}

Crew::Crew(unsigned wanted, std::function<void()> work) : work_(std::move(work)), running_(wanted) {
  threads_.reserve(wanted);
  while (threads_.size() < wanted) {
    std::jthread thread = start_thread([this] { run(); });
    if (!thread.joinable()) break;
    threads_.push_back(std::move(thread));
  }
  const std::lock_guard lock(mutex_);
  running_ -= wanted - threads_.size();
}

void Crew::run() {
  std::exception_ptr thrown;
  try {
    work_();
  } catch (...) {
    thrown = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  if (!thrown_) thrown_ = thrown;
  --running_;
  done_.notify_all();
}

bool Crew::wait_for(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return done_.wait_for(lock, time, [this] { return running_ == 0; });
}

void Crew::join() {
  threads_.clear();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

}  // namespace tilescope
