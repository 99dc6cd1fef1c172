#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/bound.h"
#include "session/prepare.h"

namespace tilescope::session {

/// What a launch of a configuration does at a size M = N = K, counted.
struct CountedWork {
  std::string kernel, source;  ///< Name and text.
  std::vector<std::pair<std::string, int64_t>> params;
  int64_t size = 0;
  analysis::Work work;
  uint64_t blocks = 0;  ///< Of the launch.
};

/// Counts one block of the request's kernel at two short K, carries the counts on to the request's K in a straight line
/// and to all blocks of its grid: exact where all blocks and all steps over k do the same. Errors: what keeps the
/// kernel from being launched, and "Cancelled.".
Result<CountedWork> count_work(const Request& request, compile::Compiler& compiler,
                               const std::atomic<bool>* cancel = nullptr);

/// Counts configurations one after another on a thread of its own. All methods belong to one thread; none waits.
class WorkCounter {
 public:
  /// `compiler` must outlive it. `woken` is called from the worker after each.
  WorkCounter(compile::Compiler& compiler, std::function<void()> woken);
  ~WorkCounter();
  WorkCounter(const WorkCounter&) = delete;
  WorkCounter& operator=(const WorkCounter&) = delete;

  static constexpr size_t kMostKept = 256;
  /// Asks for a configuration at a square size; what was asked for before is not counted again, unless kMostKept others
  /// were asked for since. One that cannot be counted never comes.
  void ask(const Request& request);
  /// Takes over what has been counted; true when there was something.
  bool poll();
  bool busy() const;
  const std::vector<CountedWork>& counted() const { return counted_; }

 private:
  struct Shared;
  static void work(const std::shared_ptr<Shared>& shared, compile::Compiler& compiler);

  std::vector<CountedWork> counted_;
  std::set<std::string> asked_;
  std::deque<std::set<std::string>::iterator> order_;  ///< Of asked_, the oldest first.
  std::shared_ptr<Shared> shared_;
  std::jthread worker_;
};

}  // namespace tilescope::session
