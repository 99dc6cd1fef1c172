#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "lesson/lesson.h"
#include "run/run_cache.h"

namespace tilescope::lesson {

/// One scene, run: what expressions are evaluated over.
struct SceneRun {
  std::shared_ptr<const run::RunResult> grid;        ///< Of the whole grid.
  std::shared_ptr<const run::TracedBlock> traced;    ///< Of the scene's block alone.
  std::map<std::string, analysis::PcCounts> arrays;  ///< Counts by accessed array.

  const run::Report& report() const { return grid->report; }
  const std::string& source() const { return traced->request().kernel.source; }
};

/// Runs scenes and keeps the newest kMostKept results, a few megabytes each. A run shown beside the lesson is not
/// repeated. Not thread-safe.
class Runs {
 public:
  static constexpr size_t kMostKept = 6;
  /// `runs` must outlive it.
  explicit Runs(run::RunCache& runs, const std::atomic<bool>* cancel = nullptr) : runs_(&runs), cancel_(cancel) {}

  Result<std::shared_ptr<const SceneRun>> run(const Scene& scene);
  /// From now on `cancel` stops runs.
  void set_cancel(const std::atomic<bool>* cancel) { cancel_ = cancel; }

  /// From now on runs count as unused until they are requested again.
  void note_unused();
  /// Drops unused runs.
  void forget_unused();

 private:
  struct Done {
    std::string key;  ///< See key_of().
    std::shared_ptr<const SceneRun> run;
    bool used = true;
  };
  run::RunCache* runs_;
  const std::atomic<bool>* cancel_;
  std::list<Done> done_;  ///< The newest first.
};

/// Runs a scene now, or shares one that is running or on screen. `cancel` may be null.
Result<SceneRun> run_scene(const Scene& scene, run::RunCache& runs, const std::atomic<bool>* cancel = nullptr);

}  // namespace tilescope::lesson
