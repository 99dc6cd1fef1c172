#pragma once

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/bound.h"
#include "base/worker.h"
#include "predict/predict.h"
#include "run/run_cache.h"

namespace tilescope::run {

/// What a launch of a configuration does at a size M = N = K, counted.
struct CountedWork {
  std::string kernel, source;  ///< Name and text.
  std::vector<std::pair<std::string, int64_t>> params;
  int64_t size = 0;
  analysis::Work work;
  uint64_t blocks = 0;                    ///< Of the launch.
  std::optional<predict::Demand> demand;  ///< Where the occupancy is known: what a prediction starts from.
};

/// Carries the counts of one block at two short K on to the launch's K and to all blocks of its grid: exact where all
/// blocks and all steps over k do the same. Errors: what keeps the kernel from being launched, and "Cancelled.".
Result<CountedWork> count_work(const Prepared& prepared, compile::Compiler& compiler,
                               const std::atomic<bool>* cancel = nullptr);

/// Counts configurations one after another on a thread of its own. All methods belong to one thread; none waits.
class WorkCounter {
 public:
  /// `runs` must outlive it. `woken` is called from the worker after each.
  WorkCounter(RunCache& runs, std::function<void()> woken) : runs_(&runs), worker_(std::move(woken)) {}

  static constexpr size_t kMostKept = 256;
  /// Asks for a configuration at a square size; what was asked for before is not counted again, unless kMostKept others
  /// were asked for since. One that cannot be counted never comes.
  void ask(const Request& request);
  /// Takes over what has been counted; true when there was something.
  bool poll() { return worker_.poll(); }
  bool busy() const { return worker_.busy(); }
  const std::vector<CountedWork>& counted() const { return counted_; }

 private:
  void keep(CountedWork counted);

  RunCache* runs_;
  std::vector<CountedWork> counted_;
  std::set<std::string> asked_;
  std::deque<std::set<std::string>::iterator> order_;  ///< Of asked_, the oldest first.
  Worker worker_;
};

}  // namespace tilescope::run
