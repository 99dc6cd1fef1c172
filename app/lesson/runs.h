#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/compile.h"
#include "lesson/lesson.h"
#include "session/report.h"
#include "session/scene.h"

namespace tilescope::lesson {

/// One scene, run: what expressions are evaluated over.
struct SceneRun {
  session::Report report;                            ///< Of the whole grid.
  std::shared_ptr<const session::Scene> traced;      ///< Of the scene's block alone, with its trace.
  std::map<std::string, analysis::PcCounts> arrays;  ///< What was counted, by the array that was accessed.
  std::vector<kernel::Anchor> anchors;               ///< Of the source.
};

/// Runs scenes and keeps what they gave, the newest kMostKept of them: a few megabytes each. Not for several
/// threads at once.
class Runs {
 public:
  static constexpr size_t kMostKept = 6;
  Runs(compile::Compiler& compiler, session::Control control) : compiler_(compiler), control_(std::move(control)) {}

  Result<std::shared_ptr<const SceneRun>> run(const Scene& scene);

  /// From now on runs count as unused until they are asked for again.
  void note_unused();
  /// Forgets those that are unused.
  void forget_unused();

 private:
  struct Done {
    std::string key;  ///< See key_of().
    std::shared_ptr<const SceneRun> run;
    bool used = true;
  };
  compile::Compiler& compiler_;
  session::Control control_;
  std::list<Done> done_;  ///< The newest first.
};

/// Runs a scene now.
Result<SceneRun> run_scene(const Scene& scene, compile::Compiler& compiler, const session::Control& control);

}  // namespace tilescope::lesson
