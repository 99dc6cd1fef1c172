#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "kernel/catalogue.h"
#include "session/register_probe.h"
#include "session/scene.h"
#include "session/state.h"

namespace tilescope::session {

/// How far the work for the newest inputs is.
enum class Progress : uint8_t {
  Idle,      ///< Scene, counts and findings belong to the newest inputs.
  Tracing,   ///< The scene on show is of earlier inputs.
  Counting,  ///< The scene is new; the whole grid is being counted.
  Checking,  ///< The counts too; the traced block is being checked.
  Failed,    ///< The newest inputs have no scene; problems() says why. The scene on show is the last whole one.
};

/// A kernel with parameters, and what running it showed. Work happens on a thread of its own, later inputs cancel
/// earlier ones, and the last whole result stays until there is a newer one. All methods belong to one thread, the
/// window's; none waits for more than a lock that is held for microseconds.
class Experiment {
 public:
  /// `catalogue` and `compiler` must outlive it. `woken` is called from the worker, after a result is ready for poll().
  Experiment(const kernel::Catalogue& catalogue, compile::Compiler& compiler, std::function<void()> woken);
  ~Experiment();
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  /// Makes these the newest inputs. Returns at once. Inputs that are illegal are settled here: legality() says why.
  void set(const Inputs& inputs, const std::string& arch);
  /// There are newer inputs that cannot be had, such as a file that cannot be read: what is on show is old until the
  /// next set().
  void refuse(const Diagnostics& problems);
  bool refused() const { return refused_; }
  /// Takes over what the worker has finished; true when anything changed.
  bool poll();

  const Inputs& inputs() const { return inputs_; }
  /// The kernel of the newest inputs, with the user's text where there is one.
  const kernel::Kernel& kernel() const { return kernel_; }
  bool edited() const { return inputs_.source.has_value(); }
  /// The newest inputs settled, or every constraint that they break, the last with the nearest legal values.
  const Result<kernel::Configuration>& legality() const { return legality_; }

  Progress progress() const { return progress_; }
  /// The last whole scene; null before the first.
  const std::shared_ptr<const Scene>& scene() const { return scene_; }
  /// The scene is not of the newest inputs: it is drawn dimmed and marked.
  bool stale() const { return progress_ == Progress::Tracing || progress_ == Progress::Failed; }
  /// Why the newest inputs have no scene.
  const Diagnostics& problems() const { return problems_; }
  /// Where those were refused because K makes the trace too large, one that fits; else 0.
  int64_t fitting_k() const { return fitting_k_; }
  /// Counts of the whole grid, or of sample blocks where that is too much; null until they are there. Belongs to
  /// scene()'s inputs.
  const std::shared_ptr<const Scene>& counted() const { return counted_; }
  /// Of the four checkers on the traced block; null until they ran.
  const std::shared_ptr<const Scene>& checked() const { return checked_; }
  /// Has the registers of the scene's instruction there read; poll() takes them over.
  void look_at(const analysis::Moment& at);
  bool reading() const { return probe_.reading(); }
  /// Null while they are not known.
  const Registers* registers(const analysis::Moment& at) const { return probe_.registers(scene_.get(), at); }
  /// Seconds from set() to the scene that is on show.
  double seconds_to_scene() const { return seconds_to_scene_; }

 private:
  struct Shared;
  void start();
  void drop_work();
  static void work(const std::shared_ptr<Shared>& shared);

  const kernel::Catalogue* catalogue_;
  Inputs inputs_;
  std::string arch_;
  kernel::Kernel kernel_;
  Result<kernel::Configuration> legality_;
  Progress progress_ = Progress::Idle;
  bool refused_ = false;
  std::shared_ptr<const Scene> scene_, counted_, checked_;
  Diagnostics problems_;
  int64_t fitting_k_ = 0;
  double seconds_to_scene_ = 0;
  std::shared_ptr<Shared> shared_;
  RegisterProbe probe_;
  std::jthread worker_;
};

}  // namespace tilescope::session
