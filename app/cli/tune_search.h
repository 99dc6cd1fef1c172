#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "arch/arch.h"
#include "base/parallel.h"
#include "cli/predicted.h"
#include "compile/compile.h"
#include "kernel/catalogue.h"
#include "kernel/configuration.h"

/// A kernel's combinations of parameters, as `tilescope tune` knows them before measuring.
namespace tilescope::cli {

/// Of which kernel, at which size, for which GPU.
struct Search {
  kernel::Kernel kernel;
  kernel::Size size;
  std::string arch;
  std::optional<arch::Device> device;  ///< If its figures are known.
};

/// A legal choice of parameters and what is known before it runs.
struct Candidate {
  kernel::Settings settings;
  std::vector<size_t> places;  ///< The index of each parameter's value among its values.
  bool examined = false, taken = false;
  double occupancy = 0;  ///< 0: it cannot be launched.
  double bound = 0;      ///< Least seconds on the GPU.
  std::optional<PredictedLaunch> predicted = {};  ///< If the GPU is known; without a time if the kernel has a gap.
  bool has_gap() const { return predicted && !predicted->time; }
  /// Its predicted seconds, or its bound if there is no prediction.
  double seconds() const { return predicted && !has_gap() ? predicted->time->seconds : bound; }
};

/// The number of combinations of parameter values, legal or not.
uint64_t combinations(const kernel::Description& description);

/// Those that satisfy all constraints. Errors: too many combinations.
Result<std::vector<Candidate>> legal_candidates(const Search& search);

/// Compiles candidates and counts one of their blocks, on its own threads: first the defaults and some at random, then
/// mostly neighbours of the best, so that the best so far is soon nearly the best of all.
class Examination {
 public:
  /// `search` and `compiler` must outlive it. `cancel` ends it early, and so does the destructor.
  Examination(const Search& search, std::vector<Candidate> candidates, compile::Compiler& compiler, unsigned threads,
              const std::atomic<bool>& cancel);
  ~Examination();
  Examination(const Examination&) = delete;
  Examination& operator=(const Examination&) = delete;

  struct Progress {
    size_t examined = 0, launchable = 0, total = 0;
    std::optional<Candidate> best = {};  ///< Of those examined.
    bool done() const { return examined == total; }
  };
  Progress progress() const;
  /// The most promising examined candidate not taken yet, or nullopt.
  std::optional<Candidate> take();
  /// Waits a moment for the threads. Where the system gave none, examines a candidate.
  void wait();
  /// Waits for running work and begins no more.
  void stop();
  /// Those that can be launched, the most promising first.
  std::vector<Candidate> launchable() const;

 private:
  void work();
  bool examine_next();
  std::optional<size_t> next();
  std::optional<size_t> untouched_neighbour() const;
  std::optional<size_t> untouched_at_random();

  const Search& search_;
  compile::Compiler& compiler_;
  const std::atomic<bool>& cancel_;
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;
  // All under the mutex.
  std::vector<Candidate> candidates_;  ///< In random order, the defaults first.
  std::vector<bool> touched_;          ///< Examined, or being examined.
  std::vector<size_t> ranked_;         ///< Examined ones that can be launched, the most promising first.
  size_t examined_ = 0, begun_ = 0, random_ = 0;
  std::optional<Crew> crew_;
};

}  // namespace tilescope::cli
