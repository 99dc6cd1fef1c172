#include "session/experiment.h"

#include <chrono>

#include "base/words.h"
#include "session/trace_forecast.h"

namespace tilescope::session {
namespace {
using Clock = std::chrono::steady_clock;

// A slider that is being dragged gives many inputs: those that follow one another fast wait until it has been still.
constexpr std::chrono::milliseconds kFast{250};
constexpr std::chrono::milliseconds kDebounce{60};
constexpr uint64_t kBackgroundInstructions = 60'000'000;
constexpr double kBackgroundSeconds = 60;
constexpr uint64_t kMostBlockInstructions = 30'000'000;  // Warp instructions; some ten seconds.

}  // namespace

/// What the window's thread and the worker share, under one mutex.
struct Experiment::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  compile::Compiler* compiler = nullptr;
  std::function<void()> woken;

  bool ends = false;
  std::optional<Request> wanted;  ///< Newest request that the worker has not begun.
  Clock::time_point wanted_since, begins;  ///< When it was asked for, and when work on it may begin.
  uint64_t newest = 0;  ///< Number of the newest request.
  std::shared_ptr<std::atomic<bool>> cancel = std::make_shared<std::atomic<bool>>(false);

  // Results of request `newest`, until poll() takes them.
  std::optional<Result<std::shared_ptr<const Scene>>> scene, counted, checked;
  double seconds = 0;
  int64_t fitting_k = 0;

  /// Waits until the newest request has been still for a while; none when the experiment ends.
  std::optional<Request> next(uint64_t& number, std::shared_ptr<std::atomic<bool>>& stop);
  void deliver(uint64_t number, std::optional<Result<std::shared_ptr<const Scene>>> Shared::*where,
               Result<std::shared_ptr<const Scene>> result, int64_t fits = 0);
};

std::optional<Request> Experiment::Shared::next(uint64_t& number, std::shared_ptr<std::atomic<bool>>& stop) {
  std::unique_lock lock(mutex);
  while (!ends && (!wanted || Clock::now() < begins)) {
    if (wanted)
      changed.wait_until(lock, begins);
    else
      changed.wait(lock);
  }
  if (ends) return std::nullopt;
  number = newest;
  stop = cancel;
  std::optional<Request> request = std::move(wanted);
  wanted.reset();
  return request;
}

void Experiment::Shared::deliver(uint64_t number, std::optional<Result<std::shared_ptr<const Scene>>> Shared::*where,
                                 Result<std::shared_ptr<const Scene>> result, int64_t fits) {
  {
    const std::lock_guard lock(mutex);
    if (number != newest) return;
    if (where == &Shared::scene) seconds = std::chrono::duration<double>(Clock::now() - wanted_since).count();
    this->*where = std::move(result);
    fitting_k = fits;
  }
  woken();
}

Experiment::Experiment(const kernel::Catalogue& catalogue, compile::Compiler& compiler, std::function<void()> woken)
    : catalogue_(&catalogue),
      legality_(error(tr("No kernel is chosen."))),
      shared_(std::make_shared<Shared>()),
      probe_(woken) {
  shared_->compiler = &compiler;
  shared_->woken = std::move(woken);
  worker_ = std::jthread([shared = shared_] { work(shared); });
}

Experiment::~Experiment() {
  const std::lock_guard lock(shared_->mutex);
  shared_->ends = true;
  *shared_->cancel = true;
  shared_->changed.notify_all();
}

void Experiment::work(const std::shared_ptr<Shared>& shared) {
  uint64_t number = 0;
  std::shared_ptr<std::atomic<bool>> cancel;
  while (std::optional<Request> request = shared->next(number, cancel)) {
    Control control;
    control.cancel = cancel.get();
    control.seconds = kBackgroundSeconds;
    control.step_budget = kMostBlockInstructions;
    control.whole_trace = true;
    control.in_window = true;
    if (const auto too_long = too_long_trace(*request, *shared->compiler, control)) {
      shared->deliver(number, &Shared::scene, too_long->problem, too_long->fitting_k);
      continue;
    }
    Result<std::shared_ptr<const Scene>> scene = make_scene(*request, *shared->compiler, control);
    const bool whole = static_cast<bool>(scene);
    shared->deliver(number, &Shared::scene, std::move(scene));
    if (!whole) continue;
    Request all = *request;
    all.block.reset();
    all.instruction_limit = kBackgroundInstructions;
    shared->deliver(number, &Shared::counted, make_scene(all, *shared->compiler, control));
    if (cancelled(control)) continue;
    request->check = true;
    shared->deliver(number, &Shared::checked, make_scene(*request, *shared->compiler, control));
  }
}

void Experiment::set(const Inputs& inputs, const std::string& arch) {
  if (scene_ && !refused_ && inputs == inputs_ && arch == arch_) return;
  refused_ = false;
  inputs_ = inputs;
  arch_ = arch;
  problems_.clear();
  start();
}

void Experiment::refuse(const Diagnostics& problems) {
  drop_work();
  refused_ = true;
  progress_ = Progress::Failed;
  problems_ = problems;
}

void Experiment::drop_work() {
  fitting_k_ = 0;
  const std::lock_guard lock(shared_->mutex);
  *shared_->cancel = true;
  shared_->cancel = std::make_shared<std::atomic<bool>>(false);
  ++shared_->newest;
  shared_->wanted.reset();
  shared_->scene.reset();
  shared_->counted.reset();
  shared_->checked.reset();
}

void Experiment::start() {
  Result<kernel::Kernel> found = kernel::find_kernel(*catalogue_, inputs_.kernel);
  const Result<arch::Limits> limits = arch::find_limits(std::string_view(arch_));
  if (found && inputs_.source) found->source = *inputs_.source;
  if (found) kernel_ = *found;
  legality_ = !found    ? Result<kernel::Configuration>(found.errors())
              : !limits ? Result<kernel::Configuration>(limits.errors())
                        : kernel::configure(kernel_.description, inputs_.settings, inputs_.size,
                                            configuration_limits(*limits));
  drop_work();
  progress_ = Progress::Failed;
  if (!legality_) {
    problems_ = legality_.errors();
    return;
  }
  progress_ = Progress::Tracing;
  Request request;
  request.kernel = kernel_;
  request.settings = inputs_.settings;
  request.size = inputs_.size;
  request.arch = arch_;
  request.block = {std::min(inputs_.block_x, legality_->grid.x - 1), std::min(inputs_.block_y, legality_->grid.y - 1)};
  const std::lock_guard lock(shared_->mutex);
  shared_->wanted = std::move(request);
  const Clock::time_point now = Clock::now();
  shared_->begins = now < shared_->wanted_since + kFast ? now + kDebounce : now;
  shared_->wanted_since = now;
  shared_->changed.notify_all();
}

void Experiment::look_at(const analysis::Moment& at) {
  if (scene_) probe_.ask(scene_, at);
}

bool Experiment::poll() {
  const bool read = probe_.poll();
  std::optional<Result<std::shared_ptr<const Scene>>> scene, counted, checked;
  int64_t fits = 0;
  {
    const std::lock_guard lock(shared_->mutex);
    scene.swap(shared_->scene);
    counted.swap(shared_->counted);
    checked.swap(shared_->checked);
    if (scene) seconds_to_scene_ = shared_->seconds;
    fits = shared_->fitting_k;
  }
  if (scene && *scene) {
    scene_ = **scene;
    counted_ = checked_ = nullptr;
    progress_ = Progress::Counting;
  } else if (scene) {
    problems_ = scene->errors();
    fitting_k_ = fits;
    progress_ = Progress::Failed;
  }
  if (counted) {
    if (*counted) counted_ = **counted;
    progress_ = Progress::Checking;
  }
  if (checked) {
    if (*checked) checked_ = **checked;
    progress_ = Progress::Idle;
  }
  return scene || counted || checked || read;
}

}  // namespace tilescope::session
