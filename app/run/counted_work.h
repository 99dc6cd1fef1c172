#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/bound.h"
#include "base/worker.h"
#include "predict/predict.h"
#include "run/run_cache.h"

namespace tilescope::run {

/// The counted work of a launch of a configuration at a size M = N = K.
struct CountedWork {
  std::string kernel, source;  ///< Name and text.
  std::vector<std::pair<std::string, int64_t>> params;
  int64_t size = 0;
  analysis::Work work;
  uint64_t blocks = 0;                    ///< Of the launch.
  std::optional<predict::Demand> demand;  ///< The input of a prediction, if the occupancy is known.
  /// By hardware_counters(); zero where nothing is counted. Of the whole grid, its edges too.
  std::vector<uint64_t> counters = {};
  /// False: they are those of one block, whose share of the tiles is not that of every block.
  bool counters_are_whole = true;
  bool stands_for_grid = true;  ///< False: the block that was counted has another share of the tiles.
  std::optional<predict::Predicted> simulated = std::nullopt;  ///< By its clocks, where these are known.
  std::string device = {};                                     ///< It was counted for; empty: it is not known.
};

/// How long the launch takes on the device: by its clocks, else by the model of its demand.
std::optional<predict::Predicted> predict_time(const CountedWork& counted, const predict::Model& model,
                                               const arch::Device& device);
/// Why nothing is predicted for it; None if something is.
predict::Gap gap_of(const CountedWork& counted, const arch::Device& device);

/// Extrapolates the counts of one block at two short K to the launch's K and to all blocks of its grid: exact if all
/// blocks and all steps over k do the same. Where a block has a share of all tiles of C it is counted once more, in the
/// whole grid, unless its blocks wait for one another. Where blocks differ, the counters are grid_counters(). Errors:
/// what keeps the kernel from being launched, and "Cancelled.".
Result<CountedWork> count_work(const Prepared& prepared, compile::Compiler& compiler,
                               const std::atomic<bool>* cancel = nullptr);

/// The same, and simulates the launch.
Result<CountedWork> count_and_time(const Prepared& prepared, compile::Compiler& compiler,
                                   const std::atomic<bool>* cancel = nullptr);

/// Counts and times configurations one after another on its own thread. All methods are called from one thread; none waits.
class WorkCounter {
 public:
  /// `runs` must outlive it. `woken` is called from the worker after each.
  WorkCounter(RunCache& runs, std::function<void()> woken) : runs_(&runs), worker_(std::move(woken)) {}

  static constexpr size_t kMostKept = 512;
  /// Requests these counts, in this order, instead of earlier requests. Known counts are not repeated unless kMostKept
  /// others came since. Configurations that cannot be counted never appear.
  void want(const std::vector<Request>& requests);
  /// Takes over finished counts; true if there were any.
  bool poll() { return worker_.poll(); }
  bool busy() const { return worker_.busy(); }
  const std::vector<CountedWork>& counted() const { return counted_; }
  /// A new number whenever counted() changes.
  uint64_t version() const { return version_; }

 private:
  void keep(const std::string& key, Result<CountedWork> counted);

  RunCache* runs_;
  std::vector<CountedWork> counted_;  ///< The oldest first.
  uint64_t version_ = 0;
  std::deque<std::string> known_;     ///< Keys of what was counted, or cannot be, the oldest first.
  std::vector<std::string> waiting_;  ///< Keys of what the worker does, in its order.
  Worker worker_;
};

}  // namespace tilescope::run
