#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "base/result.h"
#include "run/grid_run.h"

namespace tilescope::run {

/// Values that several threads request by key. A value that is still held by someone, or being made, is not made again;
/// none is held here, so that only values in use take memory. Errors are not kept.
template <class Value>
class Memo {
 public:
  using Pointer = std::shared_ptr<const Value>;

  /// `make` gives a Result<Pointer>. Whoever is cancelled while another thread makes the value gets "Cancelled.".
  template <class Make>
  Result<Pointer> get(const std::string& key, const std::atomic<bool>* cancel, Make make) {
    std::unique_lock lock(mutex_);
    while (entries_[key].being_made) {
      if (cancel && *cancel) return error("Cancelled.");
      changed_.wait_for(lock, std::chrono::milliseconds(10));
      lock.unlock();
      let_turns_pass();
      lock.lock();
    }
    if (Pointer known = entries_[key].value.lock()) return known;
    entries_[key].being_made = true;
    lock.unlock();
    Result<Pointer> made = with_memory(make);
    lock.lock();
    entries_[key] = {made ? *made : Pointer(), false};
    std::erase_if(entries_, [](const auto& each) { return !each.second.being_made && each.second.value.expired(); });
    changed_.notify_all();
    return made;
  }

 private:
  /// What `make` gives; an error where there is too little memory for it.
  template <class Make>
  static Result<Pointer> with_memory(const Make& make) {
    try {
      return make();
    } catch (const std::bad_alloc&) {
      return error(sentence_of(std::current_exception()));
    }
  }
  struct Entry {
    std::weak_ptr<const Value> value;
    bool being_made = false;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Entry> entries_;
};

}  // namespace tilescope::run
