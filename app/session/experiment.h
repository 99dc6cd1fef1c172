#pragma once

#include <functional>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/worker.h"
#include "kernel/catalogue.h"
#include "run/register_probe.h"
#include "run/run_cache.h"
#include "session/state.h"

namespace tilescope::session {

/// How far the work for the newest inputs is.
enum class Progress : uint8_t {
  Idle,      ///< Traced block, counts and findings belong to the newest inputs.
  Tracing,   ///< The shown block is of earlier inputs.
  Counting,  ///< The block is new; the whole grid is being counted.
  Checking,  ///< The counts too; the traced block is being checked.
  Failed,    ///< The newest inputs have no traced block; problems() says why. The shown block is the last complete one.
};

/// A kernel with parameters, and the results of running it. Work happens on another thread, later inputs cancel earlier
/// ones, and the last complete result stays until there is a newer one. All methods are called on the window's thread;
/// none waits longer than for a lock held for microseconds.
class Experiment {
 public:
  /// `catalogue` and `runs` must outlive it. `woken` is called from the worker, after a result is ready for poll().
  Experiment(const kernel::Catalogue& catalogue, run::RunCache& runs, std::function<void()> woken);

  /// Makes these the newest inputs. Returns at once. Inputs that are illegal are settled here: legality() says why.
  void set(const Inputs& inputs, const std::string& arch, compile::Choice compiler = compile::Choice::Automatic,
           const std::string& device = "");
  /// Newer inputs could not be loaded, such as an unreadable file: the shown block is marked stale until the
  /// next set().
  void refuse(const Diagnostics& problems);
  bool refused() const { return refused_; }
  /// Takes over finished results; true if anything changed.
  bool poll();

  const Inputs& inputs() const { return inputs_; }
  /// The kernel of the newest inputs, with the user's text if there is one.
  const kernel::Kernel& kernel() const { return kernel_; }
  bool edited() const { return inputs_.source.has_value(); }
  /// The configuration of the newest inputs, or every constraint that they break, the last with the nearest legal
  /// values.
  const Result<kernel::Configuration>& legality() const { return legality_; }

  /// The values of the parameters of each configuration whose PTX ships for a kernel and this architecture. Reads a file.
  std::vector<std::map<std::string, int64_t>> shipped(const kernel::Kernel& kernel) const;

  Progress progress() const { return progress_; }
  /// The last complete traced block; null before the first.
  const std::shared_ptr<const run::TracedBlock>& traced() const { return traced_; }
  /// Whether the traced block is not of the newest inputs: it is drawn dimmed and marked.
  bool stale() const { return progress_ == Progress::Tracing || progress_ == Progress::Failed; }
  /// Why the newest inputs have no traced block.
  const Diagnostics& problems() const { return problems_; }
  /// If they were refused because K makes the trace too large, a K that fits; else 0.
  int64_t fitting_k() const { return fitting_k_; }
  /// Counts of the whole grid, or of sample blocks if that is too much; null until they are ready. Belongs to
  /// traced()'s inputs.
  const std::shared_ptr<const run::GridCounts>& counted() const { return counted_; }
  /// Findings of the four checkers on the traced block; null until they have run.
  const std::shared_ptr<const run::CheckResult>& checked() const { return checked_; }
  /// Why there are no counts, or no findings, and will be none of this block.
  const Diagnostics& count_problems() const { return count_problems_; }
  const Diagnostics& check_problems() const { return check_problems_; }
  /// Has the registers of the traced block's instruction there read; poll() takes them over.
  void look_at(const analysis::StepRef& at);
  bool reading() const { return probe_.reading(); }
  /// Null while they are not known.
  const run::Registers* registers(const analysis::StepRef& at) const { return probe_.registers(traced_.get(), at); }

 private:
  /// One job of the worker.
  struct Job;
  /// The kernel of the inputs, with the user's text if there is one.
  Result<kernel::Kernel> find_kernel() const;
  void start(Result<kernel::Kernel> kernel);
  void drop_work();
  void run(const Job& job, run::RunCache& runs, const Worker::Turn& turn);
  void take_traced(std::shared_ptr<const run::TracedBlock> traced);
  void fail(Diagnostics problems, int64_t fitting_k);

  const kernel::Catalogue* catalogue_;
  run::RunCache* runs_;
  Inputs inputs_;
  std::string arch_, device_;
  compile::Choice compiler_ = compile::Choice::Automatic;
  kernel::Kernel kernel_;
  Result<kernel::Configuration> legality_;
  Progress progress_ = Progress::Idle;
  bool refused_ = false;
  std::shared_ptr<const run::TracedBlock> traced_;
  std::shared_ptr<const run::GridCounts> counted_;
  std::shared_ptr<const run::CheckResult> checked_;
  Diagnostics problems_, count_problems_, check_problems_;
  int64_t fitting_k_ = 0;
  Worker::Clock::time_point asked_;  ///< When the newest inputs were set.
  run::RegisterProbe probe_;
  Worker worker_;
};

}  // namespace tilescope::session
